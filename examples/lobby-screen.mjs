// Serves a page for a screen in the lobby that shows who is in now, floor by floor. The token stays on the server. Create
// a token that can only read:
//
//   npm run token -- create --name 'Lobby screen' --abilities read --building 'Harbour House'
//
// The page reloads itself every minute. If Berth cannot be reached, the page shows the last known bookings and their time.
import { createServer } from 'node:http'
import { createClient } from '@berth/client'

const { BERTH_URL, BERTH_TOKEN, PORT = '8090', HOST = '127.0.0.1' } = process.env
const berth = createClient({ url: BERTH_URL, token: BERTH_TOKEN, retries: 0 })
const REFRESH_MS = 30_000
const HOME_OFFICE_TYPE = 3
const SECOND_MS = 1_000

const me = await berth.tokens.me()
if (me.abilities.join() !== 'read' || !me.buildings)
  throw new Error(
    'Everybody in the lobby sees this page: use a token with the ability read alone, limited to a building.',
  )

const escapeHtml = (text) => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)

/** Reads the current bookings in each building of the token. */
async function readFloors() {
  const from = new Date()
  const to = new Date(from.getTime() + SECOND_MS)
  const floors = []
  for await (const building of berth.buildings.list()) {
    const bookings = await berth.buildings.listBookings(building.id, { from, to }).all()
    for (const { id, name } of building.locations) {
      const here = bookings.filter(
        ({ bookable }) => bookable.location.id === id && bookable.type !== HOME_OFFICE_TYPE,
      )
      floors.push({ name: `${building.name}, ${name}`, bookings: here })
    }
  }
  return floors
}

function renderPage(floors) {
  const sections = floors.map(({ name, bookings }) => {
    const people = bookings.map(({ user, guest, bookable }) => `${guest ?? user.name}: ${bookable.name}`)
    const items = people.sort().map((person) => `<li>${escapeHtml(person)}</li>`)
    return `<h2>${escapeHtml(name)} (${people.length})</h2><ul>${items.join('')}</ul>`
  })
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta http-equiv="refresh" content="60">
<title>Who is in</title><style>body { font: 2rem sans-serif; margin: 2rem }</style>
<h1>Who is in</h1>${sections.join('\n')}<p>As of ${new Date().toLocaleTimeString('en-GB')}</p></html>`
}

let page
async function refreshPage() {
  page = renderPage(await readFloors())
}
await refreshPage()
setInterval(() => refreshPage().catch((error) => console.error(error.message)), REFRESH_MS)

const server = createServer((_request, response) => {
  response
    .writeHead(200, { 'Content-Type': 'text/html; charset=utf-8', 'Cache-Control': 'no-store' })
    .end(page)
})
server.listen(Number(PORT), HOST, () => console.log(`http://${HOST}:${server.address().port}`))
