// Where the command line keeps its sign-in: config.json in the folder of its own, which only you can read.
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { type Client, createClient } from '../../client.ts'
import type { ClientOptions } from '../../request.ts'
import { type Given, UsageError } from './command.ts'

export type Config = {
  url?: string
  token?: string
  /** The secret with which `berth listen` signs, and the address to which `berth trigger` sends. */
  secret?: string
  forwardTo?: string
}

/** There is no token, or it is refused: exit code 3. */
export class SignInError extends Error {
  override readonly name = 'SignInError'
}

const folder = () => join(process.env['XDG_CONFIG_HOME'] || join(homedir(), '.config'), 'berth')
export const configFile = () => join(folder(), 'config.json')

export function loadConfig(): Config {
  try {
    return JSON.parse(readFileSync(configFile(), 'utf8'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
    throw new UsageError(`${configFile()} cannot be read: ${(error as Error).message}`)
  }
}

export function saveConfig(changes: Config): void {
  const config = { ...loadConfig(), ...changes }
  mkdirSync(folder(), { recursive: true, mode: 0o700 })
  // A new file, so that nobody can read it even for a moment.
  const file = `${configFile()}.${process.pid}`
  rmSync(file, { force: true })
  writeFileSync(file, `${JSON.stringify(config, null, 2)}\n`, { mode: 0o600, flag: 'wx' })
  renameSync(file, configFile())
}

export const withoutSlash = (url: string) => url.replace(/\/+$/, '')

/** The client for the chosen server. The stored token is sent only to the server that issued it. */
export function connect(given: Given, options: Partial<ClientOptions> = {}): Client {
  const config = loadConfig()
  const { BERTH_URL, BERTH_TOKEN } = process.env
  const url = given.option('url') || BERTH_URL || config.url
  if (!url) throw new SignInError('You are not signed in. Run: berth login https://desk.example.com')
  if (!URL.canParse(url)) throw new UsageError(`“${url}” is no address such as https://desk.example.com`)
  const isStored = config.url !== undefined && withoutSlash(config.url) === withoutSlash(url)
  const token = BERTH_TOKEN || (isStored ? config.token : undefined)
  if (!token) throw new SignInError(`You are not signed in to ${url}. Run: berth login ${url}`)
  return createClient({ url, token, ...options })
}
