// Tests API tokens on the integrations page: their limits, and how they get a new secret.
import { expect } from 'chai'
import { createToken } from '../../../../../shared/tokens/token-store.ts'
import { useSignedIn } from '../../../../support/dashboard/dashboard.ts'
import { createBuilding, createUser } from '../../../../support/factories.ts'
import { Client } from '../../../../support/http/http.ts'
import { eventually } from '../../../../support/time.ts'
import { useWorld } from '../../../../support/world.ts'

const TOKENS_PATH = '/dashboard/integrations/tokens'
const NEW_TOKEN_PATH = `${TOKENS_PATH}/new`

describe('API tokens in the dashboard', () => {
  const world = useWorld({ environment: { TRUST_PROXY: 'true' } })
  const browser = useSignedIn(world)
  const secretIn = (text: string) =>
    /berth_(?:personal_)?[0-9A-Za-z]{36}/.exec(text)?.[0] ?? expect.fail('No token is shown')
  const from = (secret: string, address: string) =>
    new Client(world.url, secret).get('me', { 'X-Forwarded-For': address })

  it('can be limited to chosen buildings and networks', async () => {
    const chosen = await createBuilding(world.database, { name: 'Harbour House' })
    await createBuilding(world.database, { name: 'Mill' })
    await browser.open(NEW_TOKEN_PATH)
    expect(browser.words).to.include('Harbour House').and.include('Mill')
    const fields = { name: 'Lobby', abilities: ['read'], expires: 'never', buildings: [String(chosen)] }
    const made = await browser.submit('Create token', { ...fields, addresses: '192.0.2.7/24, 2001:db8::1' })
    expect(made.status, made.text).to.equal(200)
    const secret = secretIn(made.text)
    expect((await from(secret, '203.0.113.1')).status).to.equal(403)
    expect((await from(secret, '192.0.2.200')).json.data).to.deep.include({
      buildings: [{ id: chosen, name: 'Harbour House' }],
      addresses: ['192.0.2.0/24', '2001:db8::1/128'],
    })
    await browser.open(TOKENS_PATH)
    expect(browser.words).to.include('Harbour House, 192.0.2.0/24, 2001:db8::1/128')
  })

  it('are not limited if no buildings or networks are chosen', async () => {
    await createBuilding(world.database)
    await browser.open(NEW_TOKEN_PATH)
    const { controls } = browser.form('Create token')
    expect(controls.find(({ name }) => name === 'expires')?.value, 'unless chosen').to.equal('365')
    const made = await browser.submit('Create token', { name: 'Free', abilities: ['read'], expires: 'never' })
    const { data } = (await from(secretIn(made.text), '203.0.113.1')).json
    expect(data).to.deep.include({ buildings: null, addresses: null })
  })

  it('belong to the person whose e-mail is entered, even after their secret is replaced', async () => {
    const email = 'anna.own@example.com'
    const user = await createUser(world.database, { name: 'Anna Own', email })
    const fields = { name: 'Anna’s script', abilities: ['read'], person: 'Anna.Own@example.com ' }
    await browser.open(NEW_TOKEN_PATH)
    expect((await browser.submit('Create token', { ...fields, expires: 'never' })).status).to.equal(422)
    expect(browser.words).to.include('A personal token must have an expiry date.')
    const wrong = { ...fields, person: 'nobody.there@example.com', expires: '90' }
    expect((await browser.submit('Create token', wrong)).status).to.equal(422)
    expect(browser.words).to.include('There is no active person with the e-mail “nobody.there@example.com”.')
    const made = await browser.submit('Create token', { ...fields, expires: '90' })
    const { data } = (await from(secretIn(made.text), '203.0.113.1')).json
    expect(data.user).to.deep.equal({ id: user, name: 'Anna Own', email })
    await browser.open(TOKENS_PATH)
    expect(browser.words).to.include('Anna Own')
    await browser.open(`/dashboard/integrations/tokens/${data.id}/rotate`)
    const rotated = secretIn((await browser.submit('Create secret', { overlap: '0' })).text)
    expect(rotated).to.match(/^berth_personal_/)
    expect((await from(rotated, '203.0.113.1')).json.data.user.id).to.equal(user)
  })

  it('show an error for an invalid network, and keep the input', async () => {
    await browser.open(NEW_TOKEN_PATH)
    const fields = { name: 'Wrong', abilities: ['read'], expires: 'never', addresses: '192.0.2.0/33' }
    expect((await browser.submit('Create token', fields)).status).to.equal(422)
    expect(browser.words).to.include('Write addresses or networks such as 192.0.2.0/24')
    expect(browser.page.text).to.include('192.0.2.0/33')
  })

  it('show on the page if all of their buildings are deleted', async () => {
    const building = await createBuilding(world.database)
    const token = { name: 'Orphan', abilities: ['read'] as const, createdBy: 'test', buildingIds: [building] }
    await createToken(world.database, token)
    await world.database('buildings').where({ id: building }).delete()
    await browser.open(TOKENS_PATH)
    expect(browser.words).to.include('no building (all were deleted)')
  })

  it('get a new secret while the old secret works for the chosen time', async () => {
    const { id, token } = await createToken(world.database, {
      name: 'Rotated',
      abilities: ['read'],
      createdBy: 'test',
    })
    await browser.open(`/dashboard/integrations/tokens/${id}/rotate`)
    const made = await browser.submit('Create secret', { overlap: '24' })
    const secret = secretIn(made.text)
    for (const each of [secret, token]) expect((await from(each, '::1')).json.data.id).to.equal(id)
    const { previous_until } = await world.database('tokens').where({ id }).first()
    expect(Date.parse(previous_until)).to.be.closeTo(Date.now() + 86_400_000, 600_000)

    await browser.open(`/dashboard/integrations/tokens/${id}/rotate`)
    const last = secretIn((await browser.submit('Create secret', { overlap: '0' })).text)
    expect((await from(last, '::1')).status).to.equal(200)
    for (const each of [secret, token])
      await eventually(async () => expect((await from(each, '::1')).status).to.equal(401))
    const entries = await world.database('audit_log').where({ action: 'tokens.rotate', resource_id: id })
    expect(entries).to.have.length(2)
    expect(JSON.stringify(entries)).to.not.include('hash').and.not.include(last)
  })

  it('get one new secret for a double click', async () => {
    const { id } = await createToken(world.database, {
      name: 'Twice',
      abilities: ['read'],
      createdBy: 'test',
    })
    await browser.open(`/dashboard/integrations/tokens/${id}/rotate`)
    const form = browser.form('Create secret')
    const answers = await Promise.all([1, 2].map(() => browser.send(form, { overlap: '0' })))
    const shown = answers.filter(({ status }) => status === 200).map(({ text }) => secretIn(text))
    expect(new Set(shown)).to.have.property('size', 1)
    expect((await from(shown[0] ?? '', '::1')).status).to.equal(200)
  })

  it('are listed newest first or sorted by a column header, with invalid tokens always last', async () => {
    await world.database('tokens').delete()
    const at = (day: number) => new Date(Date.UTC(2130, 0, day))
    for (const { name, createdBy, ...more } of [
      { name: 'beta', createdBy: 'Carl', expires_at: at(2), last_used_at: null, requests: 9 },
      { name: 'Alpha', createdBy: 'ada', expires_at: null, last_used_at: at(1), requests: 10 },
      { name: 'Gamma', createdBy: 'Ben', expires_at: at(1), last_used_at: at(2), requests: 0 },
      { name: 'Aaron', createdBy: 'Aaron', revoked_at: at(1), requests: 5 },
    ]) {
      const { id } = await createToken(world.database, { name, abilities: ['read'], createdBy })
      await world.database('tokens').where({ id }).update(more)
    }
    const names = async (query: string) => {
      await browser.open(`${TOKENS_PATH}${query}`)
      return [...browser.page.text.matchAll(/<th scope="row"[^>]*>([^ <]+)/g)].map(([, name]) => name)
    }
    expect(await names('')).to.deep.equal(['Gamma', 'Alpha', 'beta', 'Aaron'])
    expect(browser.words).to.include('1–4 of 4')
    expect(await names('?sort=name')).to.deep.equal(['Alpha', 'beta', 'Gamma', 'Aaron'])
    expect(await names('?sort=-name')).to.deep.equal(['Gamma', 'beta', 'Alpha', 'Aaron'])
    expect(await names('?sort=creator')).to.deep.equal(['Alpha', 'Gamma', 'beta', 'Aaron'])
    expect(await names('?sort=expires')).to.deep.equal(['Gamma', 'beta', 'Alpha', 'Aaron'])
    expect(await names('?sort=used')).to.deep.equal(['beta', 'Alpha', 'Gamma', 'Aaron'])
    await browser.follow('Requests')
    expect(browser.page.path).to.equal(`${TOKENS_PATH}?sort=requests`)
    expect(await names('?sort=requests')).to.deep.equal(['Gamma', 'beta', 'Alpha', 'Aaron'])
    expect((await browser.open(`${TOKENS_PATH}?sort=hash`)).status).to.equal(422)
  })
})
