// The gateway process: listens, and drains on SIGTERM. With WEB_CONCURRENCY above 1 it runs that many
// processes on one port.
import cluster from 'node:cluster'
import { addressesOf } from '../shared/runtime/connection-check.ts'
import { startProcess } from '../shared/runtime/process.ts'
import type { Config } from '../shared/settings/config.ts'
import { superviseCluster } from './cluster.ts'
import { serve } from './server.ts'

const supervises = (config: Config) => cluster.isPrimary && config.webConcurrency > 1

startProcess(
  'gateway',
  async (config, log) => (supervises(config) ? superviseCluster(config, log) : serve(config, log)),
  (config) => (supervises(config) ? [] : addressesOf(config, 'gateway')),
)
