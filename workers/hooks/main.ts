// Starts the webhook process. On SIGTERM, the process finishes the attempts under way and exits.
import { listRequiredAddresses } from '../../shared/runtime/connection-check.ts'
import { startProcess } from '../../shared/runtime/process.ts'
import { startHooks } from './hooks.ts'

startProcess('hooks', startHooks, (config) => listRequiredAddresses(config, 'worker'))
