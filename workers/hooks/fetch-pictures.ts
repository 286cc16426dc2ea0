// Fetches pictures of people from the addresses that identity providers give. The limits of webhooks apply: never from
// a private network, one DNS lookup for each address, ten seconds at most. Fetches one picture at a time.
import { createHash } from 'node:crypto'
import http from 'node:http'
import https from 'node:https'
import type { Knex } from 'knex'
import type { ReachableNetworks } from '../../shared/networks/reachable-networks.ts'
import { isPictureAddress, PORTRAIT_BYTES_MAX } from '../../shared/people/pictures.ts'
import { FaultLog } from '../../shared/utilities/fault-log.ts'
import type { Log } from '../../shared/utilities/log.ts'
import { type Poller, startPolling } from '../../shared/utilities/poller.ts'
import { convertPicture } from '../pictures/convert-picture.ts'

const POLL_EVERY_MS = 2_000
const FETCH_TIMEOUT_MS = 10_000
const REDIRECTS_MAX = 3
const TRIES_MAX = 5

type PictureContext = { database: Knex; networks: ReachableNetworks; log: Log }
type DuePicture = { user_id: number; provider_url: string }

export const startPictureFetching = (context: PictureContext): Poller =>
  startPolling({
    everyMs: POLL_EVERY_MS,
    faults: new FaultLog(context.log, 'pictures of people are fetched again'),
    fault: 'pictures of people cannot be fetched',
    async work(isStopping) {
      while (!isStopping() && (await fetchDuePicture(context))) {}
      return POLL_EVERY_MS
    },
  })

/** Fetches the next due picture. Returns whether there was one. */
async function fetchDuePicture({ database, networks, log }: PictureContext): Promise<boolean> {
  // Sets the time of the next try before fetching. So no other process fetches the same picture, and a fetch that fails
  // or whose process dies is repeated after 1, 4, 16 and 64 minutes.
  const { rows } = await database.raw<{ rows: DuePicture[] }>(
    `UPDATE user_pictures SET fetch_tries = fetch_tries + 1,
       fetch_at = CASE WHEN fetch_tries + 1 < ${TRIES_MAX} THEN now() + interval '1 minute' * 4 ^ fetch_tries END
     WHERE user_id = (
       SELECT user_id FROM user_pictures WHERE fetch_at <= now() ORDER BY fetch_at LIMIT 1 FOR UPDATE SKIP LOCKED
     ) RETURNING user_id, provider_url`,
  )
  const [due] = rows
  if (!due) return false
  const picture = await fetchPicture(due.provider_url, networks).catch((error) => {
    log.info({ err: error, personId: due.user_id }, 'a picture could not be fetched')
    return undefined
  })
  if (picture)
    await database.raw(
      `UPDATE user_pictures SET picture = :picture, sha256 = :sha256, fetched_at = now(), fetch_at = NULL, fetch_tries = 0
       WHERE user_id = :user_id AND provider_url = :provider_url AND source = 'provider'`,
      { ...due, picture, sha256: createHash('sha256').update(picture).digest() },
    )
  return true
}

async function fetchPicture(address: string, networks: ReachableNetworks): Promise<Buffer> {
  const signal = AbortSignal.timeout(FETCH_TIMEOUT_MS)
  let next = address
  for (let redirects = 0; redirects <= REDIRECTS_MAX; redirects++) {
    const answer = await requestPicture(next, networks, signal)
    if (Buffer.isBuffer(answer)) return (await convertPicture('portrait', answer)).data
    next = new URL(answer.location, next).href
  }
  throw new Error('too many redirects')
}

/** Requests one address. Returns the picture, or the address to which the server redirects. */
async function requestPicture(
  address: string,
  networks: ReachableNetworks,
  signal: AbortSignal,
): Promise<Buffer | { location: string }> {
  if (!isPictureAddress(address)) throw new Error('the address cannot be that of a picture')
  const target = new URL(address)
  const checked = await networks.resolve(target.hostname)
  signal.throwIfAborted()
  const { get } = target.protocol === 'https:' ? https : http
  return new Promise((resolve, reject) => {
    const request = get(
      target,
      {
        signal,
        agent: false,
        headers: { 'User-Agent': 'Berth/1', Accept: 'image/webp,image/jpeg,image/png' },
        // Connects to the address that was checked, without looking up the host again.
        lookup: (_hostname, options, callback) =>
          options.all ? callback(null, [checked]) : callback(null, checked.address, checked.family),
      },
      (response) => {
        readAnswer(response)
          .then(resolve, reject)
          .finally(() => request.destroy())
      },
    )
    request.once('error', reject)
  })
}

async function readAnswer(response: http.IncomingMessage): Promise<Buffer | { location: string }> {
  const { statusCode = 0, headers } = response
  if (statusCode >= 300 && statusCode < 400 && headers.location) return { location: headers.location }
  if (statusCode !== 200) throw new Error(`the server answered ${statusCode}`)
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of response) {
    bytes += chunk.length
    if (bytes > PORTRAIT_BYTES_MAX) throw new Error('the picture is too large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
