// Copies the employees in a csv file from the HR system to Berth. The file must list all employees, in the columns email
// and name:
//
//   node examples/hr-sync.mjs people.csv            one person at a time, over SCIM
//   node examples/hr-sync.mjs people.csv --file     the whole file at once, as an import
//
// Both ways create new people, restore people who have returned, change names, and deactivate people who have left and
// release their bookings. SCIM does not delay bookings and suits a few changes a day, while the import is faster for
// thousands of people. SCIM can also find people by a column `number` (the employee number), so that they keep their
// bookings when their e-mail changes. The import treats a changed e-mail as a different person. The token needs the
// abilities user-write and booking-write.
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { createClient } from '@berth/client'
import papaparse from 'papaparse'

const { BERTH_URL, BERTH_TOKEN } = process.env
const [file, isWholeFile] = [process.argv[2], process.argv[3] === '--file']
const berth = createClient({ url: BERTH_URL, token: BERTH_TOKEN })

const USER_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:User'
const PATCH_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'
// The maximum share of people that a run deactivates, so that a truncated file cannot deactivate the whole
// company.
const DEACTIVATED_SHARE_MAX = 0.5

/** Sends a SCIM request, and returns the whole response body. */
async function sendScimRequest(method, path, { query, json } = {}) {
  const headers = { 'Content-Type': 'application/scim+json', Accept: 'application/scim+json' }
  const { data } = await berth.request(method, `/scim/v2/${path}`, { query, json, options: { headers } })
  return data
}

async function listUsers() {
  const users = []
  for (;;) {
    const page = await sendScimRequest('GET', 'Users', {
      query: { startIndex: users.length + 1, count: 1_000 },
    })
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

const getEmail = ({ emails, userName }) => (emails?.[0]?.value ?? userName).toLowerCase()

const patchUser = (user, values) =>
  sendScimRequest('PATCH', `Users/${user.id}`, {
    json: { schemas: [PATCH_SCHEMA], Operations: [{ op: 'replace', value: values }] },
  })

const toScimUser = ({ email, name, number }) => ({
  displayName: name,
  emails: [{ value: email, type: 'work', primary: true }],
  ...(number && { externalId: number }),
})

const isUnchanged = (user, { email, name, number }) =>
  user.active &&
  user.displayName === name &&
  getEmail(user) === email &&
  (!number || user.externalId === number)

async function syncByScim(users) {
  const people = readPeople()
  const byEmail = new Map(users.map((user) => [getEmail(user), user]))
  const byNumber = new Map(users.map((user) => [user.externalId, user]))
  const found = new Map(
    people.map((person) => [person, byNumber.get(person.number) ?? byEmail.get(person.email)]),
  )
  const kept = new Set(found.values())
  const active = users.filter((user) => user.active)
  const gone = active.filter((user) => !kept.has(user))
  if (gone.length > active.length * DEACTIVATED_SHARE_MAX)
    throw new Error(`${gone.length} of ${active.length} people are not in ${file}: is it complete?`)

  const counts = { created: 0, changed: 0, deactivated: gone.length }
  for (const [person, user] of found) {
    if (!user) {
      await sendScimRequest('POST', 'Users', {
        json: { schemas: [USER_SCHEMA], userName: person.email, ...toScimUser(person) },
      })
      counts.created++
    } else if (!isUnchanged(user, person)) {
      const userName = user.userName.toLowerCase() === getEmail(user) ? person.email : user.userName
      await patchUser(user, { active: true, userName, ...toScimUser(person) })
      counts.changed++
    }
  }
  for (const user of gone) await patchUser(user, { active: false })
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

const stillActiveIds = new Set((await listUsers()).filter(({ active }) => active).map(({ id }) => id))
let released = 0
for (const { id } of users.filter(({ id, active }) => active && !stillActiveIds.has(id))) {
  const bookings = await berth.users.releaseBookings(Number(id))
  released += bookings.deleted + bookings.ended
}
console.log(
  `${created} created, ${changed} changed, ${deactivated} deactivated, ${released} bookings released`,
)
