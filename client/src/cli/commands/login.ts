// Signs the user in by the device flow of RFC 8628 or with a token, and signs them out.
import { rmSync } from 'node:fs'
import { hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from '../../client.ts'
import { type Command, type CommandInput, UsageError } from '../terminal/command.ts'
import { getConfigFile, loadConfig, SignInError, saveConfig, trimTrailingSlash } from '../terminal/config.ts'
import { print, printJson, readInput } from '../terminal/terminal.ts'

const CLIENT_ID = 'berth-cli'
const DEVICE_GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:device_code'
const INTERVAL_SECONDS = 5
const SLOW_DOWN_SECONDS = 5

export const loginCommand: Command = {
  name: 'login',
  summary: 'Signs in to an installation of Berth.',
  takes: ['[URL]'],
  text: `Shows an address and a code: open the address in a browser, sign in there and enter the code.
The token is kept in ${getConfigFile()}, which only you can read.`,
  options: {
    token: { text: 'Reads a token from the standard input instead, such as that of a program.' },
  },
  examples: [
    'berth login https://desk.example.com',
    'berth login https://desk.example.com --token < token.txt',
  ],
  async run(given) {
    const [first] = given.positionals
    const url = first || given.option('url') || process.env['BERTH_URL'] || loadConfig().url
    if (!url || !URL.canParse(url)) throw new UsageError('Say where: berth login https://desk.example.com')
    const token = given.flag('token') ? (await readInput()).trim() : await pollForToken(url, given)
    const me = await createClient({ url, token }).tokens.me()
    saveConfig({ url: trimTrailingSlash(url), token })
    if (given.flag('json')) return printJson(me)
    const { user } = me as { user?: { name: string; email: string } | null }
    print(
      user
        ? `Signed in as ${user.name} (${user.email}).`
        : `Signed in with the token of a program: ${me.name}.`,
    )
  },
}

export const logoutCommand: Command = {
  name: 'logout',
  summary: 'Forgets the token. Revoke it on your own page, or ask an administrator.',
  examples: ['berth logout'],
  async run() {
    rmSync(getConfigFile(), { force: true })
    print('Signed out.')
  },
}

type Authorization = {
  device_code: string
  user_code: string
  verification_uri: string
  verification_uri_complete?: string
  expires_in: number
  interval?: number
}

async function pollForToken(url: string, given: CommandInput): Promise<string> {
  const started = await postForm<Authorization>(url, 'device_authorization', {
    client_id: CLIENT_ID,
    name: hostname(),
  })
  if (!('device_code' in started.answer)) throw new SignInError(describeFailure(started))
  const { device_code, user_code, verification_uri, verification_uri_complete, expires_in } = started.answer
  process.stderr.write(
    `Open ${verification_uri_complete ?? verification_uri}\nand enter this code, if it does not show it: ${user_code}\n`,
  )
  const deadlineMs = Date.now() + expires_in * 1_000
  let intervalSeconds = started.answer.interval ?? INTERVAL_SECONDS
  while (Date.now() < deadlineMs) {
    await sleep(intervalSeconds * 1_000, undefined, { signal: given.signal })
    const asked = await postForm<{ access_token: string }>(url, 'token', {
      client_id: CLIENT_ID,
      grant_type: DEVICE_GRANT_TYPE,
      device_code,
    })
    if ('access_token' in asked.answer) return asked.answer.access_token
    const { error } = asked.answer
    if (error === 'slow_down') intervalSeconds += SLOW_DOWN_SECONDS
    else if (error === 'access_denied') throw new SignInError('The sign-in was refused.')
    else if (error === 'expired_token') break
    // If there is no response or the server is busy, RFC 8628 requires longer intervals between requests.
    else if (error === undefined && (asked.status === 0 || asked.status >= 429)) intervalSeconds *= 2
    else if (error !== 'authorization_pending') throw new SignInError(describeFailure(asked))
  }
  throw new SignInError('The code has expired. Run berth login again.')
}

type OAuthFailure = { error?: string; error_description?: string; detail?: string }
type PostResult<Answer> = { status: number; answer: Answer | OAuthFailure }

async function postForm<Answer>(
  url: string,
  path: string,
  fields: Record<string, string>,
): Promise<PostResult<Answer>> {
  try {
    const response = await fetch(`${trimTrailingSlash(url)}/oauth/${path}`, {
      method: 'POST',
      headers: { Accept: 'application/json' },
      body: new URLSearchParams(fields),
    })
    return {
      status: response.status,
      answer: (await response.json().catch(() => ({}))) as Answer | OAuthFailure,
    }
  } catch (error) {
    const { cause, message } = error as Error & { cause?: Error }
    return { status: 0, answer: { detail: cause?.message || message } }
  }
}

function describeFailure({ status, answer }: PostResult<unknown>): string {
  const { error_description, detail, error } = answer as OAuthFailure
  const why = error_description ?? detail ?? error
  return `The sign-in failed${status ? ` with status ${status}` : ''}${why ? `: ${why}` : ''}. With a token: berth login URL --token`
}
