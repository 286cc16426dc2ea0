// Brings the people of a csv file from the HR system to Berth. The file has the columns email and name, and all employees:
//
//   node examples/hr-sync.mjs people.csv            person by person, over SCIM
//   node examples/hr-sync.mjs people.csv --file     the whole file at once, as an import
//
// Both create who is new, restore who is back, change names, and deactivate who is gone; bookings stay. SCIM lets bookings go on
// meanwhile and suits a few changes a day; the import is faster for thousands. The token needs the ability user-write.
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
  return new Map(data.map(({ email, name }) => [email.trim().toLowerCase(), name.trim()]))
}

const emailOf = ({ emails, userName }) => (emails?.[0]?.value ?? userName).toLowerCase()

const change = (user, values) =>
  scim('PATCH', `Users/${user.id}`, {
    json: { schemas: [PATCH], Operations: [{ op: 'replace', value: values }] },
  })

async function syncByScim() {
  const people = readPeople()
  const known = new Map((await listUsers()).map((user) => [emailOf(user), user]))
  const active = [...known.values()].filter((user) => user.active)
  const gone = active.filter((user) => !people.has(emailOf(user)))
  if (gone.length > active.length * GONE_SHARE_MAX)
    throw new Error(`${gone.length} of ${active.length} people are not in ${file}: is it complete?`)

  const counts = { created: 0, changed: 0, deactivated: gone.length }
  for (const [email, displayName] of people) {
    const user = known.get(email)
    if (!user) {
      const emails = [{ value: email, type: 'work', primary: true }]
      await scim('POST', 'Users', { json: { schemas: [USER], userName: email, displayName, emails } })
      counts.created++
    } else if (!user.active || user.displayName !== displayName) {
      await change(user, { active: true, displayName })
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

const { created, changed, deactivated } = await (isWholeFile ? importFile() : syncByScim())
console.log(`${created} created, ${changed} changed, ${deactivated} deactivated`)
