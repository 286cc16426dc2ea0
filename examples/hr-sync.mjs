// Brings the people of a csv file from the HR system to Berth. The file has the columns email and name, and all employees:
//
//   node examples/hr-sync.mjs people.csv            person by person, over SCIM
//   node examples/hr-sync.mjs people.csv --file     the whole file at once, as an import
//
// Both create who is new, restore who is back, change names, deactivate who is gone, and release the bookings of those. SCIM lets
// bookings go on meanwhile and suits a few changes a day; the import is faster for thousands. SCIM also finds people by a column
// number (the employee number), so that they keep their bookings when their e-mail changes; for the import they are somebody
// else then. The token needs the abilities user-write and booking-write.
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { createClient } from '@berth/client'
import papaparse from 'papaparse'

const { BERTH_URL, BERTH_TOKEN } = process.env
const [file, isWholeFile] = [process.argv[2], process.argv[3] === '--file']
const berth = createClient({ url: BERTH_URL, token: BERTH_TOKEN })

const USER = 'urn:ietf:params:scim:schemas:core:2.0:User'
const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'
// A file that was cut off must not deactivate the whole company.
const GONE_SHARE_MAX = 0.5

/** Any SCIM request: `data` is the whole answer. */
async function scim(method, path, { query, json } = {}) {
  const headers = { 'Content-Type': 'application/scim+json', Accept: 'application/scim+json' }
  const { data } = await berth.request(method, `/scim/v2/${path}`, { query, json, options: { headers } })
  return data
}

async function listUsers() {
  const users = []
  for (;;) {
    const page = await scim('GET', 'Users', { query: { startIndex: users.length + 1, count: 1_000 } })
    users.push(...(page.Resources ?? []))
    if (users.length >= page.totalResults || !page.Resources?.length) return users
  }
}

function readPeople() {
  const { data } = papaparse.parse(readFileSync(file, 'utf8'), { header: true, skipEmptyLines: true })
  const people = data.map(({ email, name, number = '' }) => ({
    email: email.trim().toLowerCase(),
    name: name.trim(),
    number: number.trim(),
  }))
  return [...new Map(people.map((person) => [person.number || person.email, person])).values()]
}

const emailOf = ({ emails, userName }) => (emails?.[0]?.value ?? userName).toLowerCase()

const change = (user, values) =>
  scim('PATCH', `Users/${user.id}`, {
    json: { schemas: [PATCH], Operations: [{ op: 'replace', value: values }] },
  })

const valuesOf = ({ email, name, number }) => ({
  displayName: name,
  emails: [{ value: email, type: 'work', primary: true }],
  ...(number && { externalId: number }),
})

const isSame = (user, { email, name, number }) =>
  user.active &&
  user.displayName === name &&
  emailOf(user) === email &&
  (!number || user.externalId === number)

async function syncByScim(users) {
  const people = readPeople()
  const byEmail = new Map(users.map((user) => [emailOf(user), user]))
  const byNumber = new Map(users.map((user) => [user.externalId, user]))
  const found = new Map(
    people.map((person) => [person, byNumber.get(person.number) ?? byEmail.get(person.email)]),
  )
  const kept = new Set(found.values())
  const active = users.filter((user) => user.active)
  const gone = active.filter((user) => !kept.has(user))
  if (gone.length > active.length * GONE_SHARE_MAX)
    throw new Error(`${gone.length} of ${active.length} people are not in ${file}: is it complete?`)

  const counts = { created: 0, changed: 0, deactivated: gone.length }
  for (const [person, user] of found) {
    if (!user) {
      await scim('POST', 'Users', {
        json: { schemas: [USER], userName: person.email, ...valuesOf(person) },
      })
      counts.created++
    } else if (!isSame(user, person)) {
      const userName = user.userName.toLowerCase() === emailOf(user) ? person.email : user.userName
      await change(user, { active: true, userName, ...valuesOf(person) })
      counts.changed++
    }
  }
  for (const user of gone) await change(user, { active: false })
  return counts
}

async function importFile() {
  const content = new File([readFileSync(file)], basename(file))
  const body = { file: content, update: true, restore: true, deactivate: true }
  const { created, updated, deleted, errorMessages } = await berth.users.import(body)
  if (Object.keys(errorMessages).length > 0) console.error('Rows with errors:', errorMessages)
  return { created: created.length, changed: updated.length, deactivated: deleted }
}

const users = await listUsers()
const { created, changed, deactivated } = await (isWholeFile ? importFile() : syncByScim(users))

const stillActive = new Set((await listUsers()).filter(({ active }) => active).map(({ id }) => id))
let released = 0
for (const { id } of users.filter(({ id, active }) => active && !stillActive.has(id))) {
  const bookings = await berth.users.releaseBookings(Number(id))
  released += bookings.deleted + bookings.ended
}
console.log(
  `${created} created, ${changed} changed, ${deactivated} deactivated, ${released} bookings released`,
)
