// Tests tokens that work only from some networks, and tokens with both a new and an old secret.
import { expect } from 'chai'
import { serve } from '../../../gateway/server.ts'
import { createToken, revokeToken, rotateToken } from '../../../shared/tokens/token-store.ts'
import { createLog } from '../../../shared/utilities/log.ts'
import { Client } from '../../support/http/http.ts'
import { eventually } from '../../support/time.ts'
import { useWorld } from '../../support/world.ts'

describe('the restrictions of a token', () => {
  const world = useWorld({ workers: [], environment: { TRUST_PROXY: 'true' } })
  const create = (addresses?: string[]) =>
    createToken(world.database, { name: 'display', abilities: ['read'], addresses, createdBy: 'test' })
  const from = async (token: string, address: string) =>
    new Client(world.url, token).get('groups', { 'X-Forwarded-For': address })

  it('allow calls only from the listed networks', async () => {
    const { token } = await create(['192.0.2.7/24', '198.51.100.4', '2001:db8::/32'])
    const inside = [
      '192.0.2.0',
      '192.0.2.255',
      '198.51.100.4',
      '::ffff:192.0.2.9',
      '2001:db8::1',
      '2001:db8:ffff::9',
    ]
    for (const address of inside) expect((await from(token, address)).status, address).to.equal(200)
    const outside = ['192.0.3.0', '198.51.100.5', '2001:db9::1', '::ffff:192.0.3.1', '::1']
    for (const address of outside) {
      const { status, json } = await from(token, address)
      expect([status, json.code], address).to.deep.equal([403, 'address_not_allowed'])
    }
  })

  it('allow calls from anywhere if no networks are listed', async () => {
    const { token } = await create()
    expect((await from(token, '203.0.113.1')).status).to.equal(200)
  })

  it('are visible to the token, and a call refused for its network does not count as use', async () => {
    const { id, token } = await create(['192.0.2.7/24'])
    // A process stores the last use of its tokens when it stops, if not earlier.
    const gateway = await serve(world.config, createLog('test', 'silent'))
    const client = new Client(`http://127.0.0.1:${gateway.port}`, token)
    expect((await client.get('me', { 'X-Forwarded-For': '203.0.113.1' })).status).to.equal(403)
    await gateway.stop()
    expect((await world.database('tokens').where({ id }).first('last_used_at')).last_used_at).to.equal(null)
    const me = await new Client(world.url, token).get('me', { 'X-Forwarded-For': '192.0.2.1' })
    expect(me.json.data).to.deep.include({ id, addresses: ['192.0.2.0/24'] })
  })

  it('let a rotated token use its new secret immediately, and its old secret until the overlap ends', async () => {
    const { id, token } = await create()
    const rotated = (await rotateToken(world.database, id, 3_600)) ?? ''
    expect(rotated).to.not.equal(token)
    for (const secret of [token, rotated]) {
      const { json } = await new Client(world.url, secret).get('me')
      expect(json.data.id).to.equal(id)
    }
    await world
      .database('tokens')
      .where({ id })
      .update({ previous_until: new Date(Date.now() - 1) })
    await eventually(async () => expect((await from(token, '::1')).status).to.equal(401))
    expect((await from(rotated, '::1')).status).to.equal(200)
  })

  it('allow at most two secrets, and none once the token is revoked', async () => {
    const { id, token } = await create()
    const second = (await rotateToken(world.database, id, 3_600)) ?? ''
    const third = (await rotateToken(world.database, id, 3_600)) ?? ''
    expect((await from(token, '::1')).status).to.equal(401)
    expect((await from(second, '::1')).status).to.equal(200)
    await revokeToken(world.database, id)
    for (const secret of [second, third])
      await eventually(async () => expect((await from(secret, '::1')).status).to.equal(401))
    expect(await rotateToken(world.database, id, 3_600)).to.equal(undefined)
  })

  it('leave only the new secret after a rotation without an overlap', async () => {
    const { id, token } = await create()
    const rotated = (await rotateToken(world.database, id, 0)) ?? ''
    expect((await from(token, '::1')).status).to.equal(401)
    expect((await from(rotated, '::1')).status).to.equal(200)
  })
})
