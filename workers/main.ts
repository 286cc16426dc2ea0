// Starts the worker process.
import { startSmall } from '../shared/runtime/start-small.ts'

startSmall(() => import('./worker.ts'))
