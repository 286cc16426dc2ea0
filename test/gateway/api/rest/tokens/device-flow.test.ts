// Tests the device flow: a program asks for access, an administrator approves for a person, and the program gets a
// personal token once.
import { expect } from 'chai'
import { DEVICE_GRANT } from '../../../../../shared/tokens/devices.ts'
import { useSignedIn } from '../../../../support/dashboard/dashboard.ts'
import { createUser } from '../../../../support/factories.ts'
import { Client } from '../../../../support/http/http.ts'
import { useWorld } from '../../../../support/world.ts'

const DEVICE_PAGE_PATH = '/dashboard/device'

describe('the OAuth device flow', () => {
  const world = useWorld({ workers: ['writes'], environment: { FAILED_SIGN_INS_PER_MINUTE: '20' } })
  const browser = useSignedIn(world)

  async function post(path: string, fields: Record<string, string>) {
    const response = await fetch(`${world.url}/oauth/${path}`, {
      method: 'POST',
      body: new URLSearchParams(fields),
    })
    return { status: response.status, answer: JSON.parse(await response.text()) }
  }
  const start = async (fields: Record<string, string> = {}) =>
    (await post('device_authorization', { client_id: 'berth-cli', ...fields })).answer
  const poll = (device_code: string, more: Record<string, string> = {}) =>
    post('token', { client_id: 'berth-cli', grant_type: DEVICE_GRANT, device_code, ...more })
  const errorOf = async (polled: ReturnType<typeof poll>) => {
    const { status, answer } = await polled
    return [status, answer.error]
  }

  it('gives a program a token for a person once an administrator approves', async () => {
    const email = 'anna.flow@example.com'
    const id = await createUser(world.database, { name: 'Anna Flow', email })
    const started = await start({ name: 'laptop-7' })
    const { device_code, user_code, verification_uri, ...rest } = started
    expect(user_code).to.match(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/)
    expect(rest).to.deep.equal({
      verification_uri_complete: `${verification_uri}?user_code=${user_code}`,
      expires_in: 600,
      interval: 5,
    })
    expect(new URL(verification_uri).pathname).to.equal(DEVICE_PAGE_PATH)
    expect(await errorOf(poll(device_code))).to.deep.equal([400, 'authorization_pending'])
    await browser.open(`${DEVICE_PAGE_PATH}?user_code=${user_code.toLowerCase().replace('-', '')}`)
    expect(browser.words).to.include('berth-cli').and.include('laptop-7')
    expect(await errorOf(poll(device_code))).to.deep.equal([400, 'authorization_pending'])
    await browser.submit('Approve', { person: email })
    const { status, answer } = await poll(device_code)
    expect([status, answer.token_type, answer.scope, answer.expires_in]).to.deep.equal([
      200,
      'Bearer',
      'read booking-write',
      90 * 86_400,
    ])
    const { data } = (await new Client(world.url, answer.access_token).get('me')).json
    expect(data).to.deep.include({ name: 'berth-cli, laptop-7', user: { id, name: 'Anna Flow', email } })
    expect(await errorOf(poll(device_code))).to.deep.equal([400, 'invalid_grant'])
    expect((await browser.open(`${DEVICE_PAGE_PATH}?user_code=${user_code}`)).status).to.equal(404)
    const [entry] = await world.database('audit_log').where({ action: 'tokens.create', resource_id: data.id })
    expect(entry.actor_type).to.equal('admin')
  })

  it('tells a program that its request was denied', async () => {
    const { device_code, user_code } = await start()
    await browser.open(`${DEVICE_PAGE_PATH}?user_code=${user_code}`)
    await browser.submit('Deny')
    expect(await errorOf(poll(device_code))).to.deep.equal([400, 'access_denied'])
  })

  it('ends when the code expires', async () => {
    const { device_code, user_code } = await start()
    await world.database('device_authorizations').update({ expires_at: new Date(Date.now() - 1) })
    expect(await errorOf(poll(device_code))).to.deep.equal([400, 'expired_token'])
    expect((await browser.open(`${DEVICE_PAGE_PATH}?user_code=${user_code}`)).status).to.equal(404)
  })

  it('issues no token for a person who was deactivated after the approval', async () => {
    const email = 'gone.flow@example.com'
    const id = await createUser(world.database, { email })
    const { device_code, user_code } = await start()
    await browser.open(`${DEVICE_PAGE_PATH}?user_code=${user_code}`)
    await browser.submit('Approve', { person: email })
    await world.database('users').where({ id }).update({ deactivated_at: new Date() })
    expect(await errorOf(poll(device_code))).to.deep.equal([400, 'invalid_grant'])
  })

  it('issues one token to two simultaneous requests', async () => {
    const email = 'twice.flow@example.com'
    const id = await createUser(world.database, { email })
    const { device_code, user_code } = await start()
    await browser.open(`${DEVICE_PAGE_PATH}?user_code=${user_code}`)
    await browser.submit('Approve', { person: email })
    const both = await Promise.all([poll(device_code), poll(device_code)])
    expect(both.map(({ status }) => status).sort()).to.deep.equal([200, 400])
    expect(await world.database('tokens').where({ user_id: id })).to.have.length(1)
  })

  it('tells a program that polls too often to slow down', async () => {
    const { device_code } = await start()
    const errors: string[] = []
    for (let number = 0; number < 20; number++) errors.push((await poll(device_code)).answer.error)
    expect(new Set(errors)).to.deep.equal(new Set(['authorization_pending', 'slow_down']))
    expect(errors.at(-1)).to.equal('slow_down')
  })

  it('grants only the abilities that the program requested', async () => {
    const { user_code } = await start({ scope: 'read' })
    await browser.open(`${DEVICE_PAGE_PATH}?user_code=${user_code}`)
    expect(browser.words).to.include('See people, places').and.not.include('change and delete bookings')
    expect((await start({ scope: 'read user-write' })).error).to.equal('invalid_scope')
  })

  it('returns errors in the OAuth format', async () => {
    const { device_code } = await start()
    expect(await errorOf(poll(device_code, { grant_type: 'password' }))).to.deep.equal([
      400,
      'unsupported_grant_type',
    ])
    expect(await errorOf(poll('unknown'))).to.deep.equal([400, 'invalid_grant'])
    expect(await errorOf(poll(device_code, { client_id: 'other' }))).to.deep.equal([400, 'invalid_grant'])
    expect(await errorOf(poll(''))).to.deep.equal([400, 'invalid_request'])
    const { status, answer } = await post('device_authorization', {})
    expect([status, answer.error]).to.deep.equal([400, 'invalid_request'])
  })

  it('accepts a request for known abilities, and refuses unknown ones', async () => {
    expect(await post('device_authorization', { client_id: 'berth-cli', scope: 'read' })).to.include({
      status: 200,
    })
    const { status, answer } = await post('device_authorization', {
      client_id: 'berth-cli',
      scope: 'read user-write',
    })
    expect([status, answer.error]).to.deep.equal([400, 'invalid_scope'])
  })

  it('stores only hashes of the codes', async () => {
    const { device_code, user_code } = await start()
    const rows = JSON.stringify(
      await world.database('device_authorizations').select(world.database.raw('device_authorizations::text')),
    )
    for (const secret of [device_code, user_code, user_code.replace('-', '')])
      expect(rows).to.not.include(secret)
  })

  it('publishes the URLs of its endpoints', async () => {
    const response = await fetch(`${world.url}/.well-known/oauth-authorization-server`)
    const answer = JSON.parse(await response.text())
    expect(answer).to.include({ issuer: world.url, token_endpoint: `${world.url}/oauth/token` })
    expect(answer.grant_types_supported).to.deep.equal([DEVICE_GRANT])
    expect((await fetch(answer.service_documentation)).status).to.equal(200)
  })

  it('limits how often codes can be guessed', async () => {
    const statuses: number[] = []
    for (let number = 0; number < 25; number++)
      statuses.push(
        (await browser.open(`${DEVICE_PAGE_PATH}?user_code=BBBB-BB${'BCDFG'[number % 5]}B`)).status,
      )
    expect(new Set(statuses)).to.deep.equal(new Set([404, 429]))
    expect((await poll('unknown')).status).to.equal(429)
  })
})
