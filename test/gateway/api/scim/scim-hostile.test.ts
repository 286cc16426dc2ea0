// Tests invalid and hostile SCIM requests: each is refused as RFC 7644 requires, and changes nothing.
import { expect } from 'chai'
import { createUser } from '../../../support/factories.ts'
import { createEntraUser, createOktaGroup, useScim } from '../../../support/http/scim.ts'
import { useWorld } from '../../../support/world.ts'

const deep = (depth: number) => `${'('.repeat(depth)}userName eq "x"${')'.repeat(depth)}`

describe('hostile SCIM requests', () => {
  const world = useWorld({ environment: { BODY_BYTES_MAX: '200000' } })
  const scim = useScim(world)

  const filters: Record<string, number> = {
    'userName eq': 400,
    'userName eq "x': 400,
    'userName xx "x"': 400,
    'userName co "x"': 400,
    'userName eq "x" or userName eq "y"': 400,
    'not (userName eq "x")': 400,
    'password eq "x"': 400,
    '__proto__ eq "x"': 400,
    'constructor eq "x"': 400,
    'toString.eq eq "x"': 400,
    'userName eq 7': 400,
    [deep(5_000)]: 400,
    [deep(101)]: 400,
    [Array.from({ length: 50 }, () => 'userName eq "x"').join(' and ')]: 400,
    [`userName eq "${'x'.repeat(5_000)}"`]: 400,
    'userName eq "\'; DROP TABLE users; --"': 200,
    'userName eq "\u0000"': 400,
    'userName eq "\\u0000"': 200,
    'userName eq "CORP\\user"': 200,
    'userName eq "100%_\\\\"': 200,
    'userName sw "%"': 200,
    'id eq "99999999999999999999"': 200,
    'id eq "x"': 200,
    [deep(20)]: 200,
  }
  for (const [filter, status] of Object.entries(filters)) {
    it(`${status === 400 ? 'are refused for' : 'find nothing with'} the filter ${filter.slice(0, 40)}`, async () => {
      const answer = await scim.find('Users', filter)
      expect(answer.status, answer.text).to.equal(status)
      if (status === 200) expect(answer.json).to.deep.include({ totalResults: 0, Resources: [] })
      else expect(answer.json.scimType).to.be.oneOf(['invalidFilter', 'invalidValue'])
    })
  }

  const operations: Record<string, [operation: unknown, scimType: string]> = {
    'an unknown operation': [{ op: 'move', path: 'userName', value: 'x' }, 'invalidSyntax'],
    'an operation that is a string': ['add', 'invalidSyntax'],
    'a path that is a number': [{ op: 'add', path: 7, value: 'x' }, 'invalidPath'],
    'an invalid path': [{ op: 'add', path: 'a b]c', value: 'x' }, 'invalidPath'],
    'a path with a broken filter': [
      { op: 'add', path: 'emails[type eq].value', value: 'x' },
      'invalidFilter',
    ],
    'a path of many brackets': [
      { op: 'add', path: `emails[${'('.repeat(500)}].value`, value: 'x' },
      'invalidFilter',
    ],
    'the removal of everything': [{ op: 'remove' }, 'noTarget'],
    'an e-mail type that the user does not have': [
      { op: 'replace', path: 'emails[type eq "home"].value', value: 'x@y.z' },
      'noTarget',
    ],
    'the removal of the user name': [{ op: 'remove', path: 'userName' }, 'mutability'],
    'a changed id': [{ op: 'replace', path: 'id', value: '1000000' }, 'mutability'],
    'groups of a user': [{ op: 'add', path: 'groups', value: [{ value: '1' }] }, 'mutability'],
    'a number as the value of active': [{ op: 'replace', path: 'active', value: 1 }, 'invalidValue'],
    'a user name that is an object': [{ op: 'replace', path: 'userName', value: { a: 1 } }, 'invalidValue'],
    'a long user name': [{ op: 'replace', path: 'userName', value: 'x'.repeat(256) }, 'invalidValue'],
    'an invalid e-mail': [{ op: 'replace', path: 'emails', value: 'nobody' }, 'invalidValue'],
    'a string as the whole value': [{ op: 'replace', value: 'x' }, 'invalidValue'],
    'no operations': [undefined, 'invalidSyntax'],
  }
  for (const [what, [operation, scimType]] of Object.entries(operations)) {
    it(`are refused if a PATCH contains ${what}`, async () => {
      const id = await createUser(world.database)
      const before = await scim.get(`Users/${id}`)
      const rename = { op: 'replace', path: 'displayName', value: 'Changed' }
      const answer = await scim.patch(`Users/${id}`, operation && [rename, operation])
      expect([answer.status, answer.json.scimType], answer.text).to.deep.equal([400, scimType])
      expect((await scim.get(`Users/${id}`)).text).to.equal(before.text)
    })
  }

  it('are refused if they add unknown members to a group, but may remove unknown members', async () => {
    const { id } = (await scim.post('Groups', createOktaGroup('Hostile'))).json
    for (const value of ['999999', 'x', '-1', null, { $ref: 'x' }]) {
      const added = await scim.patch(`Groups/${id}`, [{ op: 'add', path: 'members', value: [{ value }] }])
      expect([added.status, added.json.scimType], String(value)).to.deep.equal([400, 'invalidValue'])
      const removed = await scim.patch(`Groups/${id}`, [
        { op: 'remove', path: 'members', value: [{ value }] },
      ])
      expect(removed.status, String(value)).to.equal(204)
    }
    const named = await scim.patch(`Groups/${id}`, [{ op: 'remove', path: 'members[display eq "x"]' }])
    expect(named.json.scimType).to.equal('invalidFilter')
  })

  it('are refused if the body has the wrong content type, is too large or is nested too deeply', async () => {
    const ask = (raw: string, type = 'application/scim+json') =>
      scim.client.ask('/scim/v2/Users', { method: 'POST', raw, headers: { 'Content-Type': type } })
    for (const [raw, status, scimType] of [
      ['{', 400, 'invalidSyntax'],
      ['null', 400, 'invalidValue'],
      ['[]', 400, 'invalidValue'],
      ['"x"', 400, 'invalidValue'],
      ['{}', 400, 'invalidValue'],
      [`${'['.repeat(10_000)}`, 400, 'invalidSyntax'],
      [`{"userName": "${'x'.repeat(300_000)}"}`, 413, undefined],
      ['{"__proto__": {"userName": "x"}, "constructor": 1}', 400, 'invalidValue'],
      [JSON.stringify(createEntraUser('nobody', { emails: [] })), 400, 'invalidValue'],
    ] as const) {
      const { status: answered, json, headers } = await ask(raw)
      expect([answered, json.scimType], raw.slice(0, 60)).to.deep.equal([status, scimType])
      expect(json.schemas).to.deep.equal(['urn:ietf:params:scim:api:messages:2.0:Error'])
      expect(headers.get('Content-Type')).to.equal('application/scim+json; charset=utf-8')
    }
    expect((await ask('{}', 'text/plain')).status).to.equal(415)
    expect((await scim.ask('DELETE', 'Users')).status).to.equal(405)
    for (const path of ['Robots', 'Users/x', 'Users/0', 'Users/1/2', 'Bulk'])
      expect((await scim.get(path)).json, path).to.include({ status: '404' })
  })
})
