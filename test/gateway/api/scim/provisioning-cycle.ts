// A cycle of an identity provider: it looks for each person, creates those who are missing, changes and deactivates
// others, and fills groups. The same people from a file must leave the same behind.
import { expect } from 'chai'
import type { ScimClient } from '../../../support/http/scim.ts'
import { entraGroup, entraUser } from '../../../support/http/scim.ts'
import { peopleOf, removeUsers } from '../../../support/user-lists.ts'
import type { World } from '../../../support/world.ts'

const GROUP_SIZE = 30
const MEMBERS_AT_ONCE = 20
const AT_ONCE = 16

type Person = { name: string; given: string; family: string; email: string; upn: string; group: string }

const peopleNumbered = (count: number): Person[] =>
  Array.from({ length: count }, (_, n) => {
    const [given, family] = [`Given${n % 97}`, `von Family ${n}`]
    const [email, upn] = [`person${n}@example.com`, `Person${n}@corp.example`]
    return {
      name: `${given} ${family}`,
      given,
      family,
      email,
      upn,
      group: `Group ${Math.floor(n / GROUP_SIZE)}`,
    }
  })

async function eachOf<Item>(items: Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const left = [...items]
  const run = async () => {
    for (let next = left.pop(); next !== undefined; next = left.pop()) await work(next)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, run))
}

const filterOf = (attribute: string, value: string) => encodeURIComponent(`${attribute} eq "${value}"`)

/** As Entra does: a search for each person, then a creation or a change. Returns the ids by UPN. */
async function provisionUsers(scim: ScimClient, people: Person[]): Promise<Map<string, string>> {
  const ids = new Map<string, string>()
  await eachOf(people, async ({ upn, email, name, given, family }) => {
    const sent = entraUser(upn, {
      displayName: name,
      name: { formatted: name, givenName: given, familyName: family },
      emails: [{ primary: true, type: 'work', value: email }],
    })
    const { json: found } = await scim.get(`Users?filter=${filterOf('userName', upn)}`)
    const [known] = found.Resources
    const answer = known
      ? await scim.patch(`Users/${known.id}`, [
          { op: 'Replace', path: 'displayName', value: name },
          { op: 'Replace', path: 'emails[type eq "work"].value', value: email },
          { op: 'Replace', path: 'active', value: 'True' },
        ])
      : await scim.post('Users', sent)
    expect(answer.status, answer.text).to.be.oneOf([200, 201])
    ids.set(upn, answer.json.id)
  })
  return ids
}

async function provisionGroups(scim: ScimClient, people: Person[], ids: Map<string, string>): Promise<void> {
  await eachOf([...new Set(people.map(({ group }) => group))], async (name) => {
    const { json } = await scim.get(
      `Groups?excludedAttributes=members&filter=${filterOf('displayName', name)}`,
    )
    const id = json.Resources[0]?.id ?? (await scim.post('Groups', entraGroup(name))).json.id
    const members = people.filter(({ group }) => group === name).map(({ upn }) => ({ value: ids.get(upn) }))
    for (let from = 0; from < members.length; from += MEMBERS_AT_ONCE) {
      const value = members.slice(from, from + MEMBERS_AT_ONCE)
      // Each is sent twice, as after an answer that was lost.
      for (const op of ['Add', 'add']) {
        const patched = await scim.patch(`Groups/${id}`, [{ op, path: 'members', value }])
        expect(patched.status, patched.text).to.equal(204)
      }
    }
  })
}

/** Some have other names by now, and every tenth is gone. */
const afterwards = (people: Person[]) => ({
  stay: people
    .filter((_, n) => n % 10 !== 9)
    .map((person, n) =>
      n % 7 === 0 ? { ...person, name: `${person.name} II`, given: person.given } : person,
    ),
  gone: people.filter((_, n) => n % 10 === 9),
})

const fileOf = (people: Person[]) =>
  [
    'email,upn,name,groups',
    ...people.map((each) => [each.email, each.upn, each.name, each.group].join(',')),
  ].join('\n')

/** A file finds people by their UPN, but never writes it. */
async function peopleWithoutUpn(world: World) {
  const { people, groups } = await peopleOf(world.database)
  return { people: people.map(({ upn: _, ...rest }) => rest), groups }
}

/** Returns how long the two cycles took. */
export async function compareCycleWithImports(world: World, scim: ScimClient, count: number) {
  const people = peopleNumbered(count)
  const { stay, gone } = afterwards(people)
  await removeUsers(world.database)
  const startedMs = performance.now()
  const ids = await provisionUsers(scim, people)
  await provisionGroups(scim, people, ids)
  const createdMs = performance.now() - startedMs
  await provisionUsers(scim, stay)
  await eachOf(gone, async ({ upn }) => {
    const off = await scim.patch(`Users/${ids.get(upn)}`, [{ op: 'Replace', path: 'active', value: 'False' }])
    expect(off.json.active).to.equal(false)
  })
  const allMs = performance.now() - startedMs
  const provisioned = await peopleWithoutUpn(world)
  await removeUsers(world.database)
  const client = await world.client('user-write')
  expect((await client.import(fileOf(people))).json.created).to.have.length(count)
  const options = { update: 'true', deactivate: 'true' }
  const second = await client.import(fileOf(stay), options)
  expect(second.json).to.include({ deleted: gone.length }).and.deep.include({ errors: [] })
  const imported = await peopleWithoutUpn(world)
  expect(provisioned.groups).to.deep.equal(imported.groups)
  for (const [index, person] of provisioned.people.entries())
    expect(person).to.deep.equal(imported.people[index])
  expect(provisioned.people).to.have.length(imported.people.length)
  return { createdMs, changedMs: allMs - createdMs }
}
