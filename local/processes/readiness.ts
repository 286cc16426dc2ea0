// Waits until the gateway reports that everything is up, and knows what is missing until then.
import { setTimeout as sleep } from 'node:timers/promises'
import { print } from '../tools/terminal.ts'

const POLL_MS = 100
const ANSWER_WAIT_MS = 2_000
const PATIENCE_MS = 30_000

/** If it takes long, prints once what is missing, and keeps waiting: a slow machine may need the time. */
export async function waitUntilReady(
  url: string,
  logsDirectory: string,
  stopping: AbortSignal,
): Promise<void> {
  const warnAt = Date.now() + PATIENCE_MS
  let warned = false
  for (;;) {
    stopping.throwIfAborted()
    const missing = await findMissing(url)
    if (!missing) return
    if (!warned && Date.now() > warnAt) {
      print(`Not ready after ${PATIENCE_MS / 1000} s, still waiting: ${missing}. Logs: ${logsDirectory}`)
      warned = true
    }
    await sleep(POLL_MS, undefined, { signal: stopping })
  }
}

async function findMissing(url: string): Promise<string | undefined> {
  try {
    const response = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(ANSWER_WAIT_MS) })
    const missing = listMissing(await response.json())
    if (missing.length > 0) return missing.join(', ')
    return response.status === 200 ? undefined : `the gateway answered ${response.status}`
  } catch {
    return `no answer from the gateway at ${url}`
  }
}

// The gateway is ready for reads while workers or Redis are down; here everything must be up.
function listMissing(body: unknown, name = ''): string[] {
  if (typeof body !== 'object' || body === null) return []
  if ('ok' in body) return body.ok ? [] : [`${name}${'detail' in body ? ` (${body.detail})` : ''}`]
  return Object.entries(body).flatMap(([key, part]) => listMissing(part, name ? `${name} ${key}` : key))
}
