// Looks tokens up, and records their use. Results are cached for less than a second, so that a revoked token stops
// working within one.
import type pg from 'pg'
import { type Ability, hashToken, isWellFormedToken } from '../../shared/tokens/token-store.ts'
import { BoundedMap } from '../../shared/utilities/caches.ts'
import type { Log } from '../../shared/utilities/log.ts'
import { FreshSingleFlight } from '../../shared/utilities/shared-look-ups.ts'

export type Token = {
  id: number
  name: string
  abilities: Ability[]
  rateLimitPerMinute: number | null
  /** The networks that the token works from; null means anywhere. */
  addresses: string[] | null
  /** The buildings that the token can access, with everything in them; null means all. */
  buildingIds: number[] | null
  /** The owner of a personal token, on whose behalf alone it works; null for other tokens. */
  userId: number | null
  /** Signs addresses that stand for the token; changes with each new secret. */
  signingKey: Buffer
}

/** Includes the key of the previous secret, while that one still works. */
export type SigningToken = Token & { previousKey: Buffer | null }

const COLUMNS = `id, name, abilities, rate_limit_per_minute AS "rateLimitPerMinute", addresses::text[] AS addresses,
  to_json(building_ids) AS "buildingIds", user_id AS "userId", hash AS "signingKey"`
const WORKS = 'revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())'

const CACHED_MS = 800
const CACHED_MAX = 10_000

/** The result of a look-up; calls that arrive while it is under way share it. */
type CacheEntry = { found: Promise<Token | undefined>; token?: Token | undefined; untilMs: number }

export class Tokens {
  readonly #pool: pg.Pool
  readonly #cache = new BoundedMap<CacheEntry>(CACHED_MAX)
  readonly #lookUps = new FreshSingleFlight<Token | undefined>()

  constructor(primary: pg.Pool) {
    this.#pool = primary
  }

  /** The token as it was found a moment ago, without a promise: most requests of a busy token need no more. */
  findRecent(secret: string): Token | undefined {
    const known = this.#cache.get(hashToken(secret).toString('base64'))
    return known && known.untilMs > Date.now() ? known.token : undefined
  }

  /** `fresh` skips the cache: a write thereby checks that Postgres is up before it queues anything. */
  async find(secret: string, { fresh }: { fresh: boolean }): Promise<Token | undefined> {
    const hash = hashToken(secret)
    const key = hash.toString('base64')
    const known = this.#cache.get(key)
    const now = Date.now()
    if (!fresh && known && known.untilMs > now) return known.found
    if (!isWellFormedToken(secret)) return undefined
    const entry: CacheEntry = {
      found: this.#lookUps.ask(key, () => this.#findByHash(hash)),
      untilMs: now + CACHED_MS,
    }
    this.#cache.set(key, entry)
    const token = await entry.found.catch((error: unknown) => {
      this.#forget(key, entry)
      throw error
    })
    entry.token = token
    if (!token) this.#forget(key, entry)
    return token
  }

  /** The last known token, however old. Use it only to tell callers apart. */
  findKnown(secret: string): Token | undefined {
    return this.#cache.get(hashToken(secret).toString('base64'))?.token
  }

  /** Always asks Postgres: a caller with a signature sends no secret that the cache could know. */
  findById(id: number): Promise<SigningToken | undefined> {
    return this.#findWorking<SigningToken>({
      name: 'find-signing-token',
      text: `
        SELECT ${COLUMNS}, CASE WHEN previous_until > now() THEN previous_hash END AS "previousKey"
        FROM tokens WHERE id = $1 AND ${WORKS}`,
      values: [id],
    })
  }

  // Only valid tokens stay in the cache, so that a new token works at once.
  #forget(key: string, entry: CacheEntry) {
    if (this.#cache.get(key) === entry) this.#cache.delete(key)
  }

  #findByHash(hash: Buffer): Promise<Token | undefined> {
    return this.#findWorking<Token>({
      name: 'find-token',
      text: `
        SELECT ${COLUMNS}
        FROM tokens
        WHERE (hash = $1 OR (previous_hash = $1 AND previous_until > now())) AND ${WORKS}`,
      values: [hash],
    })
  }

  // A personal token ends with its person, and works again if the person is restored. That takes a statement of its own: a
  // lock on all users must not keep every other token waiting.
  async #findWorking<Found extends Token>(statement: pg.QueryConfig): Promise<Found | undefined> {
    const { rows } = await this.#pool.query<Found>(statement)
    const [token] = rows
    if (!token || token.userId === null) return token
    const person = await this.#pool.query({
      name: 'find-person-of-token',
      text: 'SELECT FROM users WHERE id = $1 AND deactivated_at IS NULL',
      values: [token.userId],
    })
    return person.rowCount === 1 ? token : undefined
  }
}

const WRITE_EVERY_MS = 10_000

export class TokenUse {
  readonly #pool: pg.Pool
  readonly #log: Log
  readonly #timer: NodeJS.Timeout
  #requests = new Map<number, number>()

  constructor(primary: pg.Pool, log: Log) {
    this.#pool = primary
    this.#log = log
    this.#timer = setInterval(() => this.write(), WRITE_EVERY_MS).unref()
  }

  record(tokenId: number) {
    this.#requests.set(tokenId, (this.#requests.get(tokenId) ?? 0) + 1)
  }

  async write() {
    const batch = this.#requests
    if (batch.size === 0) return
    this.#requests = new Map()
    try {
      await this.#pool.query({
        name: 'note-token-use',
        text: `
          UPDATE tokens
          SET requests = tokens.requests + used.requests,
              last_used_at = greatest(last_used_at, date_trunc('minute', now()))
          FROM unnest($1::bigint[], $2::bigint[]) AS used (id, requests)
          WHERE tokens.id = used.id`,
        values: [[...batch.keys()], [...batch.values()]],
      })
    } catch (error) {
      // Kept for the next batch: these figures may be late but should not be wrong.
      for (const [id, requests] of batch) this.#requests.set(id, (this.#requests.get(id) ?? 0) + requests)
      this.#log.warn({ err: error }, 'token use could not be written; retrying later')
    }
  }

  async close() {
    clearInterval(this.#timer)
    await this.write()
  }
}
