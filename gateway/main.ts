// The gateway's process: listens, and drains on SIGTERM. With WEB_CONCURRENCY above 1 it runs that many processes
// on one port.
import cluster from 'node:cluster'
import { startProcess } from '../shared/process.ts'
import { superviseCluster } from './cluster.ts'
import { serve } from './server.ts'

startProcess('gateway', async (config, log) => {
  if (cluster.isPrimary && config.webConcurrency > 1) return superviseCluster(config, log)
  return serve(config, log)
})
