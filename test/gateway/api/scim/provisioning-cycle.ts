// Simulates the provisioning cycle of an identity provider, which finds, creates, changes and deactivates people, and
// fills groups. An import of the same people from a file must have the same result.
import { expect } from 'chai'
import type { ScimClient } from '../../../support/http/scim.ts'
import { createEntraGroup, createEntraUser } from '../../../support/http/scim.ts'
import { readPeople, removeUsers } from '../../../support/user-lists.ts'
import type { World } from '../../../support/world.ts'

const GROUP_SIZE = 30
const MEMBERS_PER_REQUEST = 20
const CONCURRENCY = 16

type Person = { name: string; given: string; family: string; email: string; upn: string; group: string }

const createPeople = (count: number): Person[] =>
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

async function forEachConcurrently<Item>(items: Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const left = [...items]
  const run = async () => {
    for (let next = left.pop(); next !== undefined; next = left.pop()) await work(next)
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, run))
}

const createFilter = (attribute: string, value: string) => encodeURIComponent(`${attribute} eq "${value}"`)

/** Searches for each person and creates or changes them, in the same way as Entra. Returns the ids by UPN. */
async function provisionUsers(scim: ScimClient, people: Person[]): Promise<Map<string, string>> {
  const ids = new Map<string, string>()
  await forEachConcurrently(people, async ({ upn, email, name, given, family }) => {
    const sent = createEntraUser(upn, {
      displayName: name,
      name: { formatted: name, givenName: given, familyName: family },
      emails: [{ primary: true, type: 'work', value: email }],
    })
    const { json: found } = await scim.get(`Users?filter=${createFilter('userName', upn)}`)
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
  await forEachConcurrently([...new Set(people.map(({ group }) => group))], async (name) => {
    const { json } = await scim.get(
      `Groups?excludedAttributes=members&filter=${createFilter('displayName', name)}`,
    )
    const id = json.Resources[0]?.id ?? (await scim.post('Groups', createEntraGroup(name))).json.id
    const members = people.filter(({ group }) => group === name).map(({ upn }) => ({ value: ids.get(upn) }))
    for (let from = 0; from < members.length; from += MEMBERS_PER_REQUEST) {
      const value = members.slice(from, from + MEMBERS_PER_REQUEST)
      // Sends each request twice, as a client does after a lost answer.
      for (const op of ['Add', 'add']) {
        const patched = await scim.patch(`Groups/${id}`, [{ op, path: 'members', value }])
        expect(patched.status, patched.text).to.equal(204)
      }
    }
  })
}

/** Returns the people after some time: some have new names, and every tenth has left. */
const createLaterPeople = (people: Person[]) => ({
  stay: people
    .filter((_, n) => n % 10 !== 9)
    .map((person, n) =>
      n % 7 === 0 ? { ...person, name: `${person.name} II`, given: person.given } : person,
    ),
  gone: people.filter((_, n) => n % 10 === 9),
})

const createImportFile = (people: Person[]) =>
  [
    'email,upn,name,groups',
    ...people.map((each) => [each.email, each.upn, each.name, each.group].join(',')),
  ].join('\n')

/** Returns people without their UPN, because an import from a file never writes UPNs. */
async function readPeopleWithoutUpn(world: World) {
  const { people, groups } = await readPeople(world.database)
  return { people: people.map(({ upn: _, ...rest }) => rest), groups }
}

/** Returns how long the two cycles took. */
export async function compareCycleWithImports(world: World, scim: ScimClient, count: number) {
  const people = createPeople(count)
  const { stay, gone } = createLaterPeople(people)
  await removeUsers(world.database)
  const startedMs = performance.now()
  const ids = await provisionUsers(scim, people)
  await provisionGroups(scim, people, ids)
  const createdMs = performance.now() - startedMs
  await provisionUsers(scim, stay)
  await forEachConcurrently(gone, async ({ upn }) => {
    const off = await scim.patch(`Users/${ids.get(upn)}`, [{ op: 'Replace', path: 'active', value: 'False' }])
    expect(off.json.active).to.equal(false)
  })
  const allMs = performance.now() - startedMs
  const provisioned = await readPeopleWithoutUpn(world)
  await removeUsers(world.database)
  const client = await world.client('user-write')
  expect((await client.import(createImportFile(people))).json.created).to.have.length(count)
  const options = { update: 'true', deactivate: 'true' }
  const second = await client.import(createImportFile(stay), options)
  expect(second.json).to.include({ deleted: gone.length }).and.deep.include({ errors: [] })
  const imported = await readPeopleWithoutUpn(world)
  expect(provisioned.groups).to.deep.equal(imported.groups)
  for (const [index, person] of provisioned.people.entries())
    expect(person).to.deep.equal(imported.people[index])
  expect(provisioned.people).to.have.length(imported.people.length)
  return { createdMs, changedMs: allMs - createdMs }
}
