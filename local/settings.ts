// What the environment asks of `npm start`.
import { berthDirectory } from './folders.ts'
import { Problem } from './say.ts'

export type Settings = {
  /** 0 where any free one will do. */
  port: number
  directory: string
  databaseUrl: string | undefined
  redisUrl: string | undefined
  demo: boolean
}

const PORT_DEFAULT = '3000'

export function readSettings(environment: NodeJS.ProcessEnv): Settings {
  return {
    port: readPort(environment['PORT']?.trim() || PORT_DEFAULT),
    directory: berthDirectory(),
    databaseUrl: environment['DATABASE_URL'] || undefined,
    redisUrl: environment['REDIS_URL'] || undefined,
    demo: environment['BERTH_DEMO']?.trim().toLowerCase() !== 'off',
  }
}

function readPort(text: string): number {
  const port = /^\d+$/.test(text) ? Number(text) : Number.NaN
  if (port <= 65_535) return port
  throw new Problem(`PORT must be a whole number from 0 to 65535 (it is “${text}”).`)
}
