// Prepares runs of many files in several processes. The first process starts the servers, and every reply of
// the run is checked.
import { hooks } from './hooks.ts'
import './replies.ts'

hooks.needsServers = true
process.env.TEST_SERVERS = 'own'
