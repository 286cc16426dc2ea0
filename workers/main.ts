// Starts the worker process.
import { startWithLittleMemory } from '../shared/runtime/start-small.ts'

startWithLittleMemory(() => import('./worker.ts'))
