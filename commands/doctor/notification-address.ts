// Checks whether the notifications of a calendar provider can arrive at the public address of Berth. Only the provider itself can
// tell for sure, because it asks from outside.
import { randomUUID } from 'node:crypto'
import {
  type HostLookup,
  ReachableNetworks,
  UnreachableHost,
} from '../../shared/networks/reachable-networks.ts'
import { type CalendarProviderName, PROVIDER_LABELS } from '../../shared/room-calendars/room-calendars.ts'
import { CALENDARS_GUIDE } from './calendar-remedies.ts'
import { type CheckResult, createWarning, getErrorReason } from './findings.ts'

const REQUEST_MS_MAX = 10_000
// Berth answers with a token or a sentence. The answer of another server may have any size.
const ANSWER_BYTES_MAX = 2_000

type NotifyingProvider = Exclude<CalendarProviderName, 'caldav'>

/** Returns nothing for a CalDAV server, which sends no notifications. */
export async function checkNotificationAddress(
  provider: CalendarProviderName,
  publicUrl: string | undefined,
  lookup?: HostLookup,
): Promise<CheckResult> {
  if (provider === 'caldav') return undefined
  if (!publicUrl?.startsWith('https://'))
    return createWarning(
      'PUBLIC_URL is not an https address, so there are no notifications: Berth only looks for changes from time to time',
      `Set PUBLIC_URL to the https address of Berth (${CALENDARS_GUIDE}).`,
    )
  const label = PROVIDER_LABELS[provider]
  try {
    await new ReachableNetworks([], lookup).resolve(new URL(publicUrl).hostname)
  } catch (error) {
    const reason =
      error instanceof UnreachableHost ? error.message : `it was not found (${getErrorReason(error)})`
    return createWarning(
      `${label} cannot reach the host of PUBLIC_URL as this machine sees it: ${reason}`,
      'Use a name that has a public address. If the name has a public address outside your network, nothing is wrong.',
    )
  }
  return tryNotificationAddress(provider, publicUrl)
}

/** Sends what the provider may send, and expects the answer of Berth. */
export async function tryNotificationAddress(
  provider: NotifyingProvider,
  publicUrl: string,
): Promise<CheckResult> {
  const address = `${publicUrl}/calendars/notifications/${provider}`
  const token = `doctor-${randomUUID()}`
  try {
    const url =
      provider === 'microsoft' ? `${address}?${new URLSearchParams({ validationToken: token })}` : address
    const answer = await fetch(url, {
      method: 'POST',
      redirect: 'manual',
      signal: AbortSignal.timeout(REQUEST_MS_MAX),
    })
    const text = await readStart(answer)
    // Microsoft wants its token back. A notification of Google has headers, so one without them is malformed.
    const isRight = provider === 'microsoft' ? answer.status === 200 && text === token : answer.status === 400
    if (isRight) return `notifications can reach ${address}, as far as this machine can tell`
    return createFault(address, `it answers ${answer.status}, which is not what Berth answers there`)
  } catch (error) {
    const { cause } = error as { cause?: unknown }
    return createFault(address, getErrorReason(cause ?? error))
  }
}

/** Reads the beginning of an answer, and closes its connection. */
async function readStart({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body ?? []) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes > ANSWER_BYTES_MAX) break
  }
  return Buffer.concat(chunks).toString('utf8')
}

const createFault = (address: string, reason: string) =>
  createWarning(
    `a notification that this machine sent to ${address} did not arrive: ${reason}`,
    'Let the reverse proxy pass this path to web without signing in, with a certificate of a public authority. If only this machine cannot reach the address, nothing is wrong.',
  )
