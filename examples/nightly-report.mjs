// Prints yesterday's bookings of each floor as csv, for a mail or a spreadsheet:
//
//   node examples/nightly-report.mjs > yesterday.csv
//   node examples/nightly-report.mjs 2026-11-20 > that-day.csv
//
// A day is one of the computer's time zone; set TZ to that of the buildings. The token needs the ability read.
import { createClient } from '@berth/client'
import papaparse from 'papaparse'

const { BERTH_URL, BERTH_TOKEN } = process.env
const berth = createClient({ url: BERTH_URL, token: BERTH_TOKEN })
const DESK = 0

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
    const desks = bookings.filter(({ bookable }) => bookable.type === DESK)
    const people = new Set(bookings.map(({ user }) => user.id))
    rows.push({
      building: building.name,
      floor: floor.name,
      bookings: bookings.length,
      desk_bookings: desks.length,
      people: people.size,
    })
  }
// Without formulas: a name that begins with “=” stays a name in the spreadsheet.
console.log(papaparse.unparse(rows, { escapeFormulae: true }))
