// Tests reads of users by id and by e-mail, and the 404 for deactivated or unknown users.
import { expect } from 'chai'
import { createUser } from '../../../../support/factories.ts'
import { useClient, useWorld } from '../../../../support/world.ts'

// Only positive integers up to 2^53-1 are ids.
const BAD_IDS = [
  'abc',
  '0',
  '-1',
  '1.5',
  '1e3',
  '%2B1',
  '0x1',
  '9007199254740992',
  '9'.repeat(400),
  '%zz',
  '%00',
  '%20',
  '%ED%A0%80',
  '%D9%A1',
  '1%2F2',
]

describe('GET users/{id}', () => {
  const world = useWorld({ workers: [] })
  const client = useClient(world, 'read')

  it('answers with the user, in exactly the documented format', async () => {
    const id = await createUser(world.database, {
      name: 'Ada “the first” Lovelace\n🚀',
      email: 'Ada@Example.com',
      upn: 'ada@corp.example.com',
      extension_attributes: { extensionAttribute1: 'Sales', extensionAttribute15: 'ß \\ "' },
    })
    const answer = await client.get(`users/${id}`)
    expect(answer.status).to.equal(200)
    expect(answer.headers.get('Content-Type')).to.equal('application/json; charset=utf-8')
    expect(answer.json).to.deep.equal({
      data: {
        id,
        name: 'Ada “the first” Lovelace\n🚀',
        email: 'Ada@Example.com',
        extensionAttributes: { extensionAttribute1: 'Sales', extensionAttribute15: 'ß \\ "' },
      },
    })
  })

  it('shows an empty object if the user has no extension attributes', async () => {
    const id = await createUser(world.database)
    expect((await client.get(`users/${id}`)).json.data.extensionAttributes).to.deep.equal({})
  })

  it('does not find deactivated or unknown users', async () => {
    const gone = await createUser(world.database, { deactivated_at: new Date() })
    for (const id of [gone, 999_999, Number.MAX_SAFE_INTEGER]) {
      const answer = await client.get(`users/${id}`)
      expect(answer.status, String(id)).to.equal(404)
      expect(answer.json).to.include({ code: 'not_found', detail: 'There is no active user with this id.' })
    }
  })

  for (const id of BAD_IDS) {
    it(`answers 404 for the id ${id.slice(0, 30)}`, async () => {
      const answer = await client.get(`users/${id}`)
      expect(answer.status).to.equal(404)
      expect(answer.json.code).to.equal('not_found')
    })
  }

  it('ignores unknown query parameters, regardless of their names', async () => {
    const id = await createUser(world.database)
    const odd = '?from=x&from=y&limit=0&id=7&__proto__=1&constructor=2&toString=3&%zz=%00&[]=&=&&'
    const answer = await client.get(`users/${id}${odd}`)
    expect(answer.status).to.equal(200)
    expect(answer.json.data.id).to.equal(id)
  })
})

describe('GET users/by-email/{user_email}', () => {
  const world = useWorld({ workers: [] })
  const client = useClient(world, 'read')

  const find = (email: string) => client.get(`users/by-email/${email}`)

  it('answers with the same user as GET users/{id}', async () => {
    const id = await createUser(world.database, { email: 'grace.hopper@example.com' })
    const answer = await find('grace.hopper@example.com')
    expect(answer.status).to.equal(200)
    expect(answer.text).to.equal((await client.get(`users/${id}`)).text)
    expect(answer.json.data).to.include({ id, email: 'grace.hopper@example.com' })
  })

  it('decodes the path, keeps a plus sign, and ignores the letter case, even of umlauts', async () => {
    const id = await createUser(world.database, { email: "Änne+Desk/o'neil%@Example.com" })
    for (const form of [
      "%C3%84nne+Desk%2Fo'neil%25@Example.com",
      '%c3%a4NNE%2BdESK%2fO%27NEIL%25%40eXAMPLE.COM',
    ]) {
      const answer = await find(form)
      expect(answer.status, form).to.equal(200)
      expect(answer.json.data).to.include({ id, email: "Änne+Desk/o'neil%@Example.com" })
    }
    expect((await find("%C3%84nne%20Desk%2Fo'neil%25@Example.com")).status).to.equal(404)
  })

  it('matches the characters % and _ literally', async () => {
    await createUser(world.database, { email: 'a_b@example.com' })
    for (const form of [
      'a%25@example.com',
      'axb@example.com',
      'a%5Fb@example%2Ecom%20',
      '_____@example.com',
    ]) {
      expect((await find(form)).status, form).to.equal(404)
    }
    expect((await find('a%5Fb@example%2Ecom')).status).to.equal(200)
  })

  it('does not find a deactivated user', async () => {
    await createUser(world.database, { email: 'gone@example.com', deactivated_at: new Date() })
    const answer = await find('gone@example.com')
    expect(answer.status).to.equal(404)
    expect(answer.json).to.include({
      code: 'not_found',
      detail: 'There is no active user with this e-mail.',
    })
  })

  for (const email of [
    'nobody@example.com',
    'no-address',
    '%00',
    'a%00b@example.com',
    '%0A',
    '%1F',
    '%7F',
    '%C2%85',
    '%zz',
    '%',
    '%ED%A0%80',
    '%FF',
    `${'x'.repeat(4_000)}@example.com`,
  ]) {
    it(`answers 404 for the e-mail ${email.slice(0, 30)}`, async () => {
      const answer = await find(email)
      expect(answer.status).to.equal(404)
      expect(answer.json.code).to.equal('not_found')
    })
  }
})
