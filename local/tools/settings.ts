// The settings of `npm start` from the environment, checked here so that no process fails over them later.
import { ConfigError, parseConfig } from '../../shared/settings/config.ts'
import { berthDirectory } from './folders.ts'
import { CliError } from './terminal.ts'

export type Settings = {
  /** 0 for any free port. */
  port: number
  directory: string
  databaseUrl: string | undefined
  redisUrl: string | undefined
  demo: boolean
}

// Placeholders for addresses that are unknown until the services run.
const OWN_DATABASE = 'postgres://127.0.0.1/berth'
const OWN_REDIS = 'redis://127.0.0.1'

export function readSettings(environment: NodeJS.ProcessEnv): Settings {
  const databaseUrl = environment['DATABASE_URL']?.trim() || undefined
  const redisUrl = environment['REDIS_URL']?.trim() || undefined
  const port = checkEnvironment({
    ...environment,
    DATABASE_URL: databaseUrl ?? OWN_DATABASE,
    REDIS_URL: redisUrl ?? OWN_REDIS,
  })
  const demo = environment['BERTH_DEMO']?.trim().toLowerCase() !== 'off'
  return { port, directory: berthDirectory(), databaseUrl, redisUrl, demo }
}

function checkEnvironment(environment: NodeJS.ProcessEnv): number {
  try {
    return parseConfig(environment).port
  } catch (error) {
    if (error instanceof ConfigError) throw new CliError(error.problems.join('\n'))
    throw error
  }
}
