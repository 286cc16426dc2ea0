// Stores the user's sign-in in config.json, in a folder that only this user can read.
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { type Client, createClient } from '../../client.ts'
import type { ClientOptions } from '../../request.ts'
import { type CommandInput, UsageError } from './command.ts'

export type Config = {
  url?: string
  token?: string
  /** The secret that `berth listen` signs with, and the address that `berth trigger` sends to. */
  secret?: string
  forwardTo?: string
}

/** Thrown if there is no token, or the server refuses the token. The exit code is then 3. */
export class SignInError extends Error {
  override readonly name = 'SignInError'
}

const getConfigFolder = () => join(process.env['XDG_CONFIG_HOME'] || join(homedir(), '.config'), 'berth')
export const getConfigFile = () => join(getConfigFolder(), 'config.json')

export function loadConfig(): Config {
  try {
    return JSON.parse(readFileSync(getConfigFile(), 'utf8'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
    throw new UsageError(`${getConfigFile()} cannot be read: ${(error as Error).message}`)
  }
}

export function saveConfig(changes: Config): void {
  const config = { ...loadConfig(), ...changes }
  mkdirSync(getConfigFolder(), { recursive: true, mode: 0o700 })
  // Writes a new file, so that nobody else can read the token even for a moment.
  const file = `${getConfigFile()}.${process.pid}`
  rmSync(file, { force: true })
  writeFileSync(file, `${JSON.stringify(config, null, 2)}\n`, { mode: 0o600, flag: 'wx' })
  renameSync(file, getConfigFile())
}

export const trimTrailingSlash = (url: string) => url.replace(/\/+$/, '')

/** Creates a client for the chosen server. The stored token is sent only to the server that issued it. */
export function connectToServer(given: CommandInput, options: Partial<ClientOptions> = {}): Client {
  const config = loadConfig()
  const { BERTH_URL, BERTH_TOKEN } = process.env
  const url = given.option('url') || BERTH_URL || config.url
  if (!url) throw new SignInError('You are not signed in. Run: berth login https://desk.example.com')
  if (!URL.canParse(url)) throw new UsageError(`“${url}” is no address such as https://desk.example.com`)
  const isStored = config.url !== undefined && trimTrailingSlash(config.url) === trimTrailingSlash(url)
  const token = BERTH_TOKEN || (isStored ? config.token : undefined)
  if (!token) throw new SignInError(`You are not signed in to ${url}. Run: berth login ${url}`)
  return createClient({ url, token, ...options })
}
