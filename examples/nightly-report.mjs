// Prints the number of yesterday's bookings on each floor as csv, for a mail or a spreadsheet:
//
//   node examples/nightly-report.mjs > yesterday.csv
//   node examples/nightly-report.mjs 2026-11-20 > that-day.csv
//
// Days are in the computer's time zone. Set TZ to the time zone of the buildings. The token needs the ability read.
import { createClient } from '@berth/client'
import papaparse from 'papaparse'

const { BERTH_URL, BERTH_TOKEN } = process.env
const berth = createClient({ url: BERTH_URL, token: BERTH_TOKEN })
const DESK_TYPE = 0

function readDay(text) {
  const now = new Date()
  const from = text
    ? new Date(`${text}T00:00`)
    : new Date(now.getFullYear(), now.getMonth(), now.getDate() - 1)
  if (Number.isNaN(from.getTime())) throw new Error(`${text} is no day. Write 2026-11-20.`)
  return { from, to: new Date(from.getFullYear(), from.getMonth(), from.getDate() + 1) }
}

const day = readDay(process.argv[2])
const rows = []
for await (const building of berth.buildings.list())
  for (const floor of building.locations) {
    const bookings = await berth.locations.listBookings(floor.id, day).all()
    const desks = bookings.filter(({ bookable }) => bookable.type === DESK_TYPE)
    const people = new Set(bookings.map(({ user }) => user.id))
    rows.push({
      building: building.name,
      floor: floor.name,
      bookings: bookings.length,
      desk_bookings: desks.length,
      people: people.size,
    })
  }
// Escapes formulas: a spreadsheet shows a name that begins with “=” as a name.
console.log(papaparse.unparse(rows, { escapeFormulae: true }))
