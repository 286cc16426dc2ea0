// Tests tokens: their format, the checksum that detects typing errors, and what is stored.
import { createHash } from 'node:crypto'
import { expect } from 'chai'
import fc from 'fast-check'
import {
  ABILITIES,
  createToken,
  hashToken,
  isWellFormedToken,
  listTokens,
  revokeToken,
} from '../../../shared/tokens/token-store.ts'
import { useConnection, useDatabase } from '../../support/databases.ts'

const BASE62_CHARACTERS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

describe('API tokens', () => {
  const database = useConnection(useDatabase())
  const tokens: string[] = []

  before(async () => {
    for (let number = 0; number < 20; number++) {
      const { token } = await createToken(database, {
        name: `Token ${number}`,
        abilities: ['read'],
        createdBy: 'test',
      })
      tokens.push(token)
    }
  })
  it('consist of berth_ and 36 random base62 characters', () => {
    for (const token of tokens) expect(token).to.match(/^berth_[0-9A-Za-z]{36}$/)
    expect(new Set(tokens.map((token) => token.slice(6, 16))).size).to.equal(tokens.length)
    const used = new Set(tokens.flatMap((token) => [...token.slice(6, 36)]))
    expect(used.size).to.be.greaterThan(50)
  })

  it('are recognized by their format, without a database query', () => {
    for (const token of tokens) expect(isWellFormedToken(token)).to.equal(true)
    for (const token of [
      '',
      'berth_',
      'x',
      ` ${tokens[0]}`,
      `${tokens[0]} `,
      `${tokens[0]}\n`,
      tokens[0]?.slice(0, -1),
    ]) {
      expect(isWellFormedToken(String(token)), token).to.equal(false)
    }
    expect(isWellFormedToken(String(tokens[0]).replace('berth_', 'Berth_'))).to.equal(false)
  })

  it('reveal every wrong character and every swap of two neighbouring characters', () => {
    const place = fc.integer({ min: 6, max: 41 })
    fc.assert(
      fc.property(
        fc.constantFrom(...tokens),
        place,
        fc.constantFrom(...BASE62_CHARACTERS),
        (token, index, letter) => {
          fc.pre(token[index] !== letter)
          expect(isWellFormedToken(token.slice(0, index) + letter + token.slice(index + 1))).to.equal(false)
        },
      ),
    )
    for (const token of tokens) {
      for (let index = 6; index < 41; index++) {
        const [a = '', b = ''] = [token[index], token[index + 1]]
        const swapped = token.slice(0, index) + b + a + token.slice(index + 2)
        expect(isWellFormedToken(swapped)).to.equal(a === b)
      }
    }
  })

  it('are stored only as SHA-256 hashes', async () => {
    const { id, token } = await createToken(database, { name: 'Kept', abilities: [], createdBy: 'test' })
    const row = await database('tokens').where({ id }).first()
    expect(row.hash.equals(createHash('sha256').update(token).digest())).to.equal(true)
    expect(hashToken(token).equals(row.hash)).to.equal(true)
    expect(Object.values(row).some((value) => String(value).includes(token.slice(6)))).to.equal(false)
  })

  it('are stored with their creator, abilities and expiry', async () => {
    const { id } = await createToken(database, {
      name: 'Door signs',
      abilities: ['read', 'booking-write', 'read'],
      expiresAt: '2030-01-01T00:00:00Z',
      rateLimitPerMinute: 50,
      createdBy: 'ada@example.com',
    })
    const [summary] = (await listTokens(database)).filter((token) => token.id === id)
    const { created_at, expires_at, ...rest } = summary ?? expect.fail('It is not listed')
    expect(Math.abs(Date.now() - Date.parse(created_at))).to.be.lessThan(60_000)
    expect(Date.parse(String(expires_at))).to.equal(Date.parse('2030-01-01T00:00:00Z'))
    expect(rest).to.deep.equal({
      id,
      name: 'Door signs',
      abilities: ['read', 'booking-write'],
      rate_limit_per_minute: 50,
      building_ids: null,
      user_id: null,
      created_by: 'ada@example.com',
      revoked_at: null,
      last_used_at: null,
      requests: 0,
    })
  })

  it('have the same five abilities in the code as in the database', async () => {
    expect(ABILITIES).to.deep.equal(['read', 'user-write', 'object-write', 'booking-write', 'webhook-write'])
    const failure = await createToken(database, {
      name: 'x',
      abilities: ['admin' as 'read'],
      createdBy: 'test',
    }).catch((error) => error)
    expect(failure.constraint).to.equal('tokens__abilities_known')
  })

  it('can be revoked only once', async () => {
    const { id } = await createToken(database, { name: 'Gone', abilities: ['read'], createdBy: 'test' })
    expect(await revokeToken(database, id)).to.equal(true)
    const { revoked_at } = await database('tokens').where({ id }).first()
    expect(await revokeToken(database, id)).to.equal(false)
    expect((await database('tokens').where({ id }).first()).revoked_at).to.equal(revoked_at)
    expect(await revokeToken(database, 999_999)).to.equal(false)
  })
})
