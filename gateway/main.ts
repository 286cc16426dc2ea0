// Starts the gateway process.
import { startSmall } from '../shared/runtime/start-small.ts'

startSmall(() => import('./gateway.ts'))
