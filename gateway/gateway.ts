// The gateway process: it listens for requests, and drains on SIGTERM. With WEB_CONCURRENCY above 1, that
// many processes run on one port, and the first process only supervises: it starts the others, replaces those
// that die, and adds up their figures for /metrics.
import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { listRequiredAddresses } from '../shared/runtime/connection-check.ts'
import { EXIT_CODE_CANNOT_WORK, type RunningProcess, startProcess } from '../shared/runtime/process.ts'
import type { Config } from '../shared/settings/config.ts'
import type { Log } from '../shared/utilities/log.ts'
import { serveClusterMetrics } from './server/operations/metrics.ts'
import { serve } from './server.ts'
import { warmUpGateway } from './warm-up.ts'

const RESTART_AFTER_MS = 1_000

async function superviseCluster(config: Config, log: Log): Promise<RunningProcess> {
  let stopping = false
  const failed = new Promise<Error>((resolve) => {
    cluster.on('exit', async (worker, code, signal) => {
      if (stopping) return
      const gateway = worker.process.pid
      // Does not start a replacement process, because it would exit in the same way.
      if (code === EXIT_CODE_CANNOT_WORK)
        return resolve(new Error(`Gateway process ${gateway} cannot work; see its log`))
      log.error({ gateway, code, signal }, 'a gateway process died; starting another')
      await wait(RESTART_AFTER_MS)
      if (!stopping) cluster.fork()
    })
  })
  serveClusterMetrics((error) =>
    log.warn({ err: error }, 'the metrics of the gateway processes could not be aggregated'),
  )
  for (let number = 0; number < config.webConcurrency; number++) cluster.fork()

  return {
    failed,
    async stop() {
      stopping = true
      const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined)
      await Promise.all(workers.map(stopWorker))
    },
  }
}

async function stopWorker(worker: Worker): Promise<void> {
  worker.process.kill('SIGTERM')
  await once(worker, 'exit')
}

const isSupervisor = (config: Config) => cluster.isPrimary && config.webConcurrency > 1

startProcess(
  'gateway',
  async (config, log) =>
    isSupervisor(config) ? superviseCluster(config, log) : serve(config, log, undefined, warmUpGateway),
  (config) => (isSupervisor(config) ? [] : listRequiredAddresses(config, 'gateway')),
)
