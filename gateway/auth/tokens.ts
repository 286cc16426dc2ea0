// Looks tokens up. What was found is cached for less than a second, so that revoking works within one.
import type pg from 'pg'
import { type Ability, hashToken, isWellFormedToken } from '../../shared/tokens.ts'
import { BoundedMap } from '../../shared/utilities/bounded-map.ts'
import { FreshSingleFlight } from '../../shared/utilities/fresh-single-flight.ts'

export type Token = {
  id: number
  name: string
  abilities: Ability[]
  rateLimitPerMinute: number | null
  /** Networks that it works from; null means anywhere. */
  addresses: string[] | null
  /** The only buildings that exist for it, and what lies in them; null means all. */
  buildingIds: number[] | null
  /** Signs addresses that stand for the token; it is new with each secret. */
  signingKey: Buffer
}

/** With the key of its secret of before, while that one works. */
export type SigningToken = Token & { previousKey: Buffer | null }

const COLUMNS = `id, name, abilities, rate_limit_per_minute AS "rateLimitPerMinute", addresses::text[] AS addresses,
  to_json(building_ids) AS "buildingIds", hash AS "signingKey"`
const WORKS = 'revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())'

const CACHED_MS = 800
const CACHED_MAX = 10_000

/** What a look-up finds; those who come while it is under way wait for the same one. */
type CacheEntry = { found: Promise<Token | undefined>; token?: Token | undefined; untilMs: number }

export class Tokens {
  readonly #pool: pg.Pool
  readonly #cache = new BoundedMap<CacheEntry>(CACHED_MAX)
  readonly #lookUps = new FreshSingleFlight<Token | undefined>()

  constructor(primary: pg.Pool) {
    this.#pool = primary
  }

  /** `fresh` asks Postgres from now on: a write proves that it is there before anything is handed over. */
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

  /** As it was found last, however long ago: good for telling callers apart, and for nothing else. */
  findKnown(secret: string): Token | undefined {
    return this.#cache.get(hashToken(secret).toString('base64'))?.token
  }

  /** Asked anew each time: whoever comes with a signature has no secret that could be known already. */
  async findById(id: number): Promise<SigningToken | undefined> {
    const { rows } = await this.#pool.query<SigningToken>({
      name: 'find-signing-token',
      text: `
        SELECT ${COLUMNS}, CASE WHEN previous_until > now() THEN previous_hash END AS "previousKey"
        FROM tokens WHERE id = $1 AND ${WORKS}`,
      values: [id],
    })
    return rows[0]
  }

  // Only what is good is kept: nobody waits for less than a second because of what was not there before.
  #forget(key: string, entry: CacheEntry) {
    if (this.#cache.get(key) === entry) this.#cache.delete(key)
  }

  async #findByHash(hash: Buffer): Promise<Token | undefined> {
    const { rows } = await this.#pool.query<Token>({
      name: 'find-token',
      text: `
        SELECT ${COLUMNS}
        FROM tokens
        WHERE (hash = $1 OR (previous_hash = $1 AND previous_until > now())) AND ${WORKS}`,
      values: [hash],
    })
    return rows[0]
  }
}
