// Looks tokens up, and records their use. Caches results for less than a second, so that a revoked token stops working
// within a second.
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
  /** The networks from which the token works; null means anywhere. */
  addresses: string[] | null
  /** The buildings that the token can access, with everything in them; null means all. */
  buildingIds: number[] | null
  /** The owner of a personal token, which may act only for this person; null for other tokens. */
  userId: number | null
  /** The key that signs the token's URLs. It changes with each new secret. */
  signingKey: Buffer
}

/** Also includes the key of the previous secret, while that secret still works. */
export type SigningToken = Token & { previousKey: Buffer | null }

const TOKEN_COLUMNS = `id, name, abilities, rate_limit_per_minute AS "rateLimitPerMinute", addresses::text[] AS addresses,
  to_json(building_ids) AS "buildingIds", user_id AS "userId", hash AS "signingKey"`
const IS_VALID_SQL = 'revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())'

const CACHE_MS = 800
const CACHED_TOKENS_MAX = 10_000

/** The pending or cached result of looking up a token. Calls that arrive while the look-up is pending share it. */
type CacheEntry = { found: Promise<Token | undefined>; token?: Token | undefined; untilMs: number }

export class Tokens {
  readonly #pool: pg.Pool
  readonly #cache = new BoundedMap<CacheEntry>(CACHED_TOKENS_MAX)
  readonly #lookUps = new FreshSingleFlight<Token | undefined>()

  constructor(primary: pg.Pool) {
    this.#pool = primary
  }

  /** Returns a recently found token synchronously. Most requests of a busy token need no other look-up. */
  findRecent(secret: string): Token | undefined {
    const known = this.#cache.get(hashToken(secret).toString('base64'))
    return known && known.untilMs > Date.now() ? known.token : undefined
  }

  /** Finds a token. `fresh` skips the cache, which makes sure that Postgres is up before a write is queued. */
  async find(secret: string, { fresh }: { fresh: boolean }): Promise<Token | undefined> {
    const hash = hashToken(secret)
    const key = hash.toString('base64')
    const known = this.#cache.get(key)
    const now = Date.now()
    if (!fresh && known && known.untilMs > now) return known.found
    if (!isWellFormedToken(secret)) return undefined
    const entry: CacheEntry = {
      found: this.#lookUps.ask(key, () => this.#findByHash(hash)),
      untilMs: now + CACHE_MS,
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

  /** Returns the last known token for a secret, even if it is outdated. Use it only to tell callers apart. */
  findKnown(secret: string): Token | undefined {
    return this.#cache.get(hashToken(secret).toString('base64'))?.token
  }

  /**
   * Finds a token by id. Always queries Postgres, because a caller with a signed URL sends no secret that the cache
   * could know.
   */
  findById(id: number): Promise<SigningToken | undefined> {
    return this.#findWorking<SigningToken>({
      name: 'find-signing-token',
      text: `
        SELECT ${TOKEN_COLUMNS}, CASE WHEN previous_until > now() THEN previous_hash END AS "previousKey"
        FROM tokens WHERE id = $1 AND ${IS_VALID_SQL}`,
      values: [id],
    })
  }

  // Keeps only valid tokens in the cache, so that a new token works at once.
  #forget(key: string, entry: CacheEntry) {
    if (this.#cache.get(key) === entry) this.#cache.delete(key)
  }

  #findByHash(hash: Buffer): Promise<Token | undefined> {
    return this.#findWorking<Token>({
      name: 'find-token',
      text: `
        SELECT ${TOKEN_COLUMNS}
        FROM tokens
        WHERE (hash = $1 OR (previous_hash = $1 AND previous_until > now())) AND ${IS_VALID_SQL}`,
      values: [hash],
    })
  }

  // Finds a token that works. A personal token stops working when its owner is deactivated, and works again
  // when the owner is restored. The owner is checked in a separate statement, so that a lock on all users
  // does not delay other tokens.
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

export class LastUseRecorder {
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
      // Keeps the counts for the next batch if the write fails: the figures may be late but must not be
      // wrong.
      for (const [id, requests] of batch) this.#requests.set(id, (this.#requests.get(id) ?? 0) + requests)
      this.#log.warn({ err: error }, 'token use could not be written; retrying later')
    }
  }

  async close() {
    clearInterval(this.#timer)
    await this.write()
  }
}
