// Tests the settings page, where administrators change their password and sessions, and the API tokens on the
// integrations page.

import { expect } from 'chai'
import {
  Browser,
  createSignedIn,
  extractWords,
  PASSWORD,
  useSignedIn,
} from '../../../../support/dashboard/dashboard.ts'
import { expectHarmless, HOSTILE_TEXTS } from '../../../../support/dashboard/hostile-texts.ts'
import { Client } from '../../../../support/http/http.ts'
import { eventually, promised } from '../../../../support/time.ts'
import { createWorld, useWorld } from '../../../../support/world.ts'

const TOKENS_PATH = '/dashboard/integrations/tokens'
const NEW_TOKEN_PATH = `${TOKENS_PATH}/new`
const CREATE_TOKEN_BUTTON = 'Create token'

describe('the settings page of the dashboard', () => {
  const world = useWorld()
  const browser = useSignedIn(world)

  const secretIn = (text: string) =>
    /berth_[0-9A-Za-z]{36}/.exec(text)?.[0] ?? expect.fail('No token is shown')

  it('creates a working token, which is shown once and never stored', async () => {
    await browser.open(TOKENS_PATH)
    await browser.follow('New token')
    const made = await browser.submit(CREATE_TOKEN_BUTTON, {
      name: 'Reception',
      abilities: ['read'],
      expires: '30',
    })
    expect(made.status).to.equal(200)
    const secret = secretIn(made.text)
    expect(browser.words).to.include(`curl -H 'Authorization: Bearer ${secret}' ${world.url}/api/v1/groups`)
    const client = new Client(world.url, secret)
    expect((await client.get('groups')).status).to.equal(200)
    expect((await client.post('bookings', {})).json.code).to.equal('missing_ability')

    await browser.follow('Done')
    expect(browser.words).to.include('Reception').and.include('in 29 days').and.include('admin@example.com')
    expect(browser.page.text).to.not.include(secret)
    const [token] = await world.database('tokens').where({ name: 'Reception' })
    expect(token.created_by).to.equal('admin@example.com')
    const [entry] = await world.database('audit_log').where({ action: 'tokens.create' }).orderBy('id', 'desc')
    expect(entry).to.include({ actor_type: 'admin', actor_name: 'admin@example.com' })
    for (const table of ['tokens', 'audit_log', 'idempotency_keys', 'receipts']) {
      expect(JSON.stringify(await world.database(table).select()), table).to.not.include(secret)
    }
  })

  it('creates one token for a double click or a reloaded page', async () => {
    await browser.open(NEW_TOKEN_PATH)
    const form = browser.form(CREATE_TOKEN_BUTTON)
    const fields = { name: 'Twice', abilities: ['read', 'booking-write'], limit: '5' }
    const answers = await Promise.all([browser.send(form, fields), browser.send(form, fields)])
    const last = await browser.send(form, fields)
    const shown = [...answers, last].filter(({ status }) => status === 200).map(({ text }) => secretIn(text))
    expect(shown.length).to.be.greaterThan(1)
    expect(new Set(shown)).to.have.property('size', 1)
    const tokens = await world.database('tokens').where({ name: 'Twice' })
    expect(tokens).to.have.length(1)
    expect(tokens[0]).to.deep.include({ rate_limit_per_minute: 5, abilities: ['read', 'booking-write'] })
    const other = await browser.send(form, { ...fields, name: 'Other' })
    expect(other.status).to.equal(422)
    expect(browser.words).to.include('This form was already sent')
    expect((await browser.submit(CREATE_TOKEN_BUTTON)).status, 'the new form').to.equal(200)
    expect(await world.database('tokens').where({ name: 'Other' })).to.have.length(1)
  })

  it('shows errors at the fields of its forms, and keeps the input', async () => {
    await browser.open(NEW_TOKEN_PATH)
    const { status, text } = await browser.submit(CREATE_TOKEN_BUTTON, {
      name: ' ',
      abilities: ['object-write', 'all'],
      limit: '-1',
      expires: '90',
    })
    expect(status).to.equal(422)
    const errorOf = (id: string) =>
      extractWords(new RegExp(`id="${id}-error">([\\s\\S]*?)</div>`).exec(text)?.[1] ?? '')
    expect(errorOf('create-name')).to.equal('Name must not be empty.')
    expect(errorOf('create-limit')).to.equal(
      'Requests per minute must be a whole number from 1 to 2147483647.',
    )
    expect(errorOf('create-abilities')).to.include('is not an ability.')
    for (const [, ids = ''] of text.matchAll(/aria-describedby="([^"]+)"/g)) {
      for (const id of ids.split(' ')) expect(text).to.include(`id="${id}"`)
    }
    const { controls } = browser.form(CREATE_TOKEN_BUTTON)
    const checked = controls.filter((control) => control.checked).map(({ value }) => value)
    expect(checked).to.deep.equal(['object-write'])
    expect(controls.find(({ name }) => name === 'limit')?.value).to.equal('-1')
    expect(controls.find(({ name }) => name === 'expires')?.value).to.equal('90')
    expect(
      (await browser.submit(CREATE_TOKEN_BUTTON, { name: 'None', abilities: [], limit: '' })).status,
    ).to.equal(422)
    expect(browser.words).to.include('Choose at least one.')
  })

  it('revokes a token after a confirmation', async () => {
    await browser.open(NEW_TOKEN_PATH)
    const { text } = await browser.submit(CREATE_TOKEN_BUTTON, { name: 'Old display' })
    const client = new Client(world.url, secretIn(text))
    expect((await client.get('groups')).status).to.equal(200)
    const { id } = await world.database('tokens').where({ name: 'Old display' }).first('id')
    await browser.open(`/dashboard/integrations/tokens/${id}/revoke`)
    expect(browser.words).to.include('Revoke “Old display”?')
    await browser.submit('Revoke token')
    expect(browser.page.path).to.equal(TOKENS_PATH)
    expect(browser.words).to.include('Token revoked.').and.include('Old display revoked')
    await browser.open(TOKENS_PATH)
    expect(browser.words, 'said once').to.not.include('Token revoked.')
    await eventually(
      async () => expect((await client.get('groups')).json.code).to.equal('invalid_token'),
      promised(1_000),
    )
  })

  it('escapes hostile names of tokens', async () => {
    for (const name of HOSTILE_TEXTS) {
      await browser.open(NEW_TOKEN_PATH)
      expectHarmless((await browser.submit(CREATE_TOKEN_BUTTON, { name })).text, name)
      const { id } = await world.database('tokens').orderBy('id', 'desc').first('id')
      expectHarmless((await browser.open(`/dashboard/integrations/tokens/${id}/revoke`)).text, name)
      await browser.open(NEW_TOKEN_PATH)
      expectHarmless((await browser.submit(CREATE_TOKEN_BUTTON, { name, abilities: [] })).text, name)
    }
    const { text } = await browser.open(TOKENS_PATH)
    for (const name of HOSTILE_TEXTS) expectHarmless(text, name)
  })

  it('shows no notice that a link has forged', async () => {
    const other = await createSignedIn(world, 'other@example.com')
    const forged = Buffer.from('Pay here').toString('base64url')
    for (const notice of [forged, `${forged}.`, `${forged}.${forged}`]) {
      other.cookies.set('berth_notice', notice)
      await other.open('/dashboard/settings')
      expect(other.words).to.not.include('Pay here')
    }
  })

  it('changes the administrator’s own password, and ends their other sessions', async () => {
    const email = 'changes@example.com'
    const [one, two] = [await createSignedIn(world, email), await createSignedIn(world, email)]
    const fresh = 'another long sentence'
    const change = (fields: Record<string, string>) =>
      one.submit('Change password', { current: PASSWORD, password: fresh, repeated: fresh, ...fields })
    await one.open('/dashboard/settings')
    expect((await change({ current: 'wrong' })).status).to.equal(422)
    expect(one.words).to.include('Wrong password.')
    expect((await change({ password: 'short', repeated: 'short' })).status).to.equal(422)
    expect((await change({ repeated: 'something else' })).status).to.equal(422)
    await change({})
    expect(one.words).to.include('Password changed. One other session was signed out.')
    expect((await two.open('/dashboard/settings')).path).to.match(/sign-in/)
    expect((await two.signIn(email)).status).to.equal(422)
    expect((await two.signIn(email, fresh)).status).to.equal(200)
  })

  it('lists the administrator’s sessions', async () => {
    await browser.open('/dashboard/settings', {
      headers: { 'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0' },
    })
    const before = (browser.words.match(/127\.0\.0\.1/g) ?? []).length
    await createSignedIn(world)
    await browser.open('/dashboard/settings')
    expect(browser.words).to.include('this browser')
    expect((browser.words.match(/127\.0\.0\.1/g) ?? []).length).to.equal(before + 1)
  })

  it('shows an error if no worker handles a write, and makes the change once when the form is sent again', async () => {
    const alone = await createWorld({ workers: [] })
    try {
      const { url } = await alone.startGateway({ WRITE_WAIT_MS: '300' })
      const there = await createSignedIn({ url, database: alone.database })
      await there.open(NEW_TOKEN_PATH)
      expect((await there.submit(CREATE_TOKEN_BUTTON, { name: 'Late' })).status).to.equal(503)
      expect(there.words).to.include(
        'There was no result in time, so the write was called off: nothing was changed',
      )
      await alone.startWorkers(['writes'])
      // Uses a gateway that waits for workers as long as usual.
      const again = new Browser(alone.url)
      for (const [name, value] of there.cookies) again.cookies.set(name, value)
      expect((await again.send(there.form(CREATE_TOKEN_BUTTON))).status).to.equal(200)
      expect(await alone.database('tokens').where({ name: 'Late' })).to.have.length(1)
    } finally {
      await alone.close()
    }
  })
})
