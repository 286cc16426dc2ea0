// The webhook process. On SIGTERM it drains: attempts under way are finished.
import { addressesOf } from '../../shared/runtime/connection-check.ts'
import { startProcess } from '../../shared/runtime/process.ts'
import { startHooks } from './hooks.ts'

startProcess('hooks', startHooks, (config) => addressesOf(config, 'worker'))
