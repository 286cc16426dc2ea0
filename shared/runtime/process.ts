// Starts and stops every process of Berth. Checks the environment first, drains the process on SIGTERM and SIGINT, and
// exits if draining takes too long.
import cluster from 'node:cluster'
import { type Config, ConfigError, loadConfig } from '../settings/config.ts'
import { startTracing } from '../tracing/start-tracing.ts'
import { createLog, type Log } from '../utilities/log.ts'
import { findPermanentRefusal, type ServerAddress } from './connection-check.ts'

export type RunningProcess = {
  stop(): Promise<void>
  /** Resolves with an error if the process cannot continue. */
  failed?: Promise<Error>
}

/** The exit code of a process that cannot work. It tells a supervisor not to start a replacement. The log
 * contains the reason. */
export const EXIT_CODE_CANNOT_WORK = 78

export async function startProcess(
  name: string,
  start: (config: Config, log: Log) => Promise<RunningProcess>,
  /** The addresses that the process connects to. The process exits if one of them refuses it permanently. */
  addresses: (config: Config) => ServerAddress[],
): Promise<void> {
  const config = readConfig(name)
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
  // Stops a child process when its parent process ends.
  const stopWithParent = () => stop('the parent process ended')
  process.on('disconnect', stopWithParent)
  process.on('unhandledRejection', (error) => log.error({ err: error }, 'unhandled rejection'))
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'uncaught exception')
    process.exit(1)
  })

  // The parent process may have ended before the listener was attached, and then no event follows.
  if (process.send && !process.connected) stopWithParent()

  // Does not await this promise, because `start` may itself wait for these addresses.
  findPermanentRefusal(addresses(config), log).then((error) => end(error, error.message))
  try {
    // Tracing starts before connections are opened, so that their statements are traced.
    stopTracing = await startTracing(name, config.tracing, log)
    running = await start(config, log)
    running.failed?.then((error) => end(error, error.message))
  } catch (error) {
    end(error, describeStartFailure(error, config))
  }

  function end(error: unknown, message: string): never {
    log.fatal({ err: error }, message)
    process.exit(cluster.isWorker ? EXIT_CODE_CANNOT_WORK : 1)
  }
}

function readConfig(name: string): Config {
  try {
    return loadConfig(name)
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
