// Floor plans for the demo: walls, rooms, desks and bays drawn at the positions of a location's bookables, so
// that the demo has a useful map from the start.
import { createHash } from 'node:crypto'
import { crc32, deflateSync } from 'node:zlib'
import type { Knex } from 'knex'
import { BOOKABLE_TYPES } from '../../shared/bookables/bookables.ts'

type Positioned = { type: number; x: number; y: number }
type Box = { left: number; top: number; width: number; height: number }

const WIDTH = 1_200
const HEIGHT = 900
const WALL = 10

const COLOURS = { floor: 0, wall: 1, carpet: 2, room: 3, desk: 4, chair: 5, bay: 6, line: 7 }
const PALETTE = ['f6f4ef', '5c6672', 'eceae3', 'e3ebf1', 'd9c9ae', 'b9c2c9', 'e2e2e2', 'ffffff']

export async function seedFloorPlans(database: Knex): Promise<void> {
  const rows: Array<Positioned & { location_id: number }> = await database('bookables')
    .whereNotNull('position_x')
    .select('location_id', 'type', { x: 'position_x' }, { y: 'position_y' })
  for (const id of new Set(rows.map((row) => row.location_id))) {
    const floorPlan = drawFloorPlan(rows.filter((row) => row.location_id === id))
    await database('locations')
      .where({ id })
      .update({
        floor_plan: floorPlan,
        floor_plan_type: 'image/png',
        floor_plan_width: WIDTH,
        floor_plan_height: HEIGHT,
        floor_plan_orientation: 1,
        floor_plan_sha256: createHash('sha256').update(floorPlan).digest(),
      })
  }
}

function drawFloorPlan(bookables: Positioned[]): Buffer {
  const pixels = new Uint8Array(WIDTH * HEIGHT)
  const fill = ({ left, top, width, height }: Box, colour: number) => {
    for (let y = Math.max(0, top); y < Math.min(HEIGHT, top + height); y++)
      pixels.fill(colour, y * WIDTH + Math.max(0, left), y * WIDTH + Math.min(WIDTH, left + width))
  }
  const wall = (box: Box, colour: number, thickness: number) => {
    fill(box, COLOURS.wall)
    fill(inset(box, thickness), colour)
  }
  fill({ left: 0, top: 0, width: WIDTH, height: HEIGHT }, COLOURS.floor)
  // Matches the seed's layout: as many columns as rows.
  const columns = Math.max(1, Math.ceil(Math.sqrt(bookables.length)))
  const cell = { width: Math.floor(WIDTH / columns), height: Math.floor(HEIGHT / columns) }
  for (const { type, x, y } of bookables) {
    const box = {
      left: Math.round(x * WIDTH - cell.width / 2),
      top: Math.round(y * HEIGHT - cell.height / 2),
      ...cell,
    }
    if (type === BOOKABLE_TYPES.meetingRoom) wall(inset(box, 6), COLOURS.room, 5)
    else if (type === BOOKABLE_TYPES.parkingSpot) drawBay(box)
    else drawDesk(box)
  }
  for (const left of [0, WIDTH - WALL]) fill({ left, top: 0, width: WALL, height: HEIGHT }, COLOURS.wall)
  for (const top of [0, HEIGHT - WALL]) fill({ left: 0, top, width: WIDTH, height: WALL }, COLOURS.wall)
  return encode(pixels)

  function drawDesk(box: Box) {
    fill(inset(box, 14), COLOURS.carpet)
    fill(inset(box, Math.round(box.height / 5)), COLOURS.desk)
    const chair = Math.round(box.height / 7)
    const left = box.left + Math.round((box.width - chair) / 2)
    fill({ left, top: box.top + box.height - chair - 16, width: chair, height: chair }, COLOURS.chair)
  }

  function drawBay(box: Box) {
    fill(inset(box, 4), COLOURS.bay)
    for (const left of [box.left + 4, box.left + box.width - 8])
      fill({ left, top: box.top + 8, width: 4, height: box.height - 16 }, COLOURS.line)
  }
}

function inset({ left, top, width, height }: Box, by: number): Box {
  return { left: left + by, top: top + by, width: width - 2 * by, height: height - 2 * by }
}

// PNG with a palette: https://www.w3.org/TR/png-3/
function encode(pixels: Uint8Array): Buffer {
  const head = Buffer.alloc(13)
  head.writeUInt32BE(WIDTH, 0)
  head.writeUInt32BE(HEIGHT, 4)
  // Eight bits per pixel, with a palette.
  head.set([8, 3, 0, 0, 0], 8)
  // Each line begins with its filter: none.
  const lines = Buffer.alloc((WIDTH + 1) * HEIGHT)
  for (let y = 0; y < HEIGHT; y++) lines.set(pixels.subarray(y * WIDTH, (y + 1) * WIDTH), y * (WIDTH + 1) + 1)
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    part('IHDR', head),
    part('PLTE', Buffer.from(PALETTE.join(''), 'hex')),
    part('IDAT', deflateSync(lines)),
    part('IEND', Buffer.alloc(0)),
  ])
}

function part(name: string, content: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name), content])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(content.length)
  sum.writeUInt32BE(crc32(named))
  return Buffer.concat([length, named, sum])
}
