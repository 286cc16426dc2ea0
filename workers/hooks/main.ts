// The process of webhooks. Drains on SIGTERM: what is being sent is waited for.
import { addressesOf } from '../../shared/connections/connection-check.ts'
import { startProcess } from '../../shared/process.ts'
import { startHooks } from './hooks.ts'

startProcess('hooks', startHooks, (config) => addressesOf(config, 'worker'))
