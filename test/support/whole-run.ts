// For runs of many files in several processes: their first process, which loads none of the files, starts servers of
// its own for them, and every reply of the run is checked.
import { hooks } from './hooks.ts'
import './replies.ts'

hooks.needsServers = true
process.env.TEST_SERVERS = 'own'
