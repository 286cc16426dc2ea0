// Starts and stops every process of Berth: it checks the environment first, drains on SIGTERM and SIGINT, and
// exits if that takes too long.
import cluster from 'node:cluster'
import { type Config, ConfigError, loadConfig } from '../settings/config.ts'
import { startTracing } from '../tracing/start-tracing.ts'
import { createLog, type Log } from '../utilities/log.ts'
import { type Address, findPermanentRefusal } from './connection-check.ts'

export type RunningProcess = {
  stop(): Promise<void>
  /** Resolves with an error that makes it pointless to go on. */
  failed?: Promise<Error>
}

/**
 * The exit code that tells a supervising process not to start a replacement: the log says why this one cannot
 * work.
 */
export const CANNOT_WORK = 78

export async function startProcess(
  name: string,
  start: (config: Config, log: Log) => Promise<RunningProcess>,
  /** The addresses that it connects to; the process ends if one of them refuses it for good. */
  addresses: (config: Config) => Address[],
): Promise<void> {
  const config = readConfig()
  const log = createLog(name, config.logLevel)
  let running: RunningProcess | undefined
  let stopTracing: (() => Promise<void>) | undefined
  let stopping = false

  const stop = async (reason: string) => {
    if (stopping) return
    stopping = true
    log.info({ reason }, 'draining')
    setTimeout(() => {
      log.error({ drainMs: config.drainMs }, 'could not finish in time; exiting')
      process.exit(1)
    }, config.drainMs).unref()
    await running?.stop()
    await stopTracing?.()
    log.info('stopped')
    process.exit(0)
  }

  process.on('SIGTERM', () => stop('SIGTERM'))
  process.on('SIGINT', () => stop('SIGINT'))
  // A process that was started by a parent process stops with it.
  const stopWithParent = () => stop('the parent process ended')
  process.on('disconnect', stopWithParent)
  process.on('unhandledRejection', (error) => log.error({ err: error }, 'unhandled rejection'))
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'uncaught exception')
    process.exit(1)
  })

  // The parent may have ended before the listener was there, and would send no event.
  if (process.send && !process.connected) stopWithParent()

  // Not awaited: `start` may wait for these addresses itself.
  findPermanentRefusal(addresses(config), log).then((error) => end(error, error.message))
  try {
    // Before connections are opened, so that their statements are traced.
    stopTracing = await startTracing(name, config.tracing, log)
    running = await start(config, log)
    running.failed?.then((error) => end(error, error.message))
  } catch (error) {
    end(error, describeStartFailure(error, config))
  }

  function end(error: unknown, message: string): never {
    log.fatal({ err: error }, message)
    process.exit(cluster.isWorker ? CANNOT_WORK : 1)
  }
}

function readConfig(): Config {
  try {
    return loadConfig()
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    process.stderr.write(`Berth cannot start. Please fix its settings:\n`)
    for (const problem of error.problems) process.stderr.write(`  - ${problem}\n`)
    process.exit(1)
  }
}

function describeStartFailure(error: unknown, { host, port }: Config): string {
  const { code } = error as { code?: string }
  if (code === 'EADDRINUSE') return `Port ${port} on ${host} is already in use. Set PORT to a free port.`
  if (code === 'EACCES') return `This user may not listen on port ${port}. Set PORT to 1024 or higher.`
  return 'could not start'
}
