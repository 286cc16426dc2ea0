// Starts the gateway process.
import { startWithLittleMemory } from '../shared/runtime/start-small.ts'

startWithLittleMemory(() => import('./gateway.ts'))
