// Draws a floor of an office: islands of desks, a row of meeting rooms, a core with stairs, lift and toilets, a kitchen
// and a lounge. Returns the drawing, and the positions of desks, rooms and parking spots in it. Code draws the floors,
// because prepared pictures would fit only one number of desks.
import {
  type Box,
  CHAIR_DEPTH,
  COLOURS,
  DESK,
  drawBooth,
  drawBox,
  drawCore,
  drawDesk,
  drawKitchen,
  drawLounge,
  drawMeetingTable,
  drawPath,
  drawPlant,
  FURNITURE,
} from './floor-furniture.ts'

export type FloorContents = { desks: number; rooms: number; parking: number }

/** The layout of a floor. `service` is the position of the core, the kitchen and the lounge. */
type FloorStyle = {
  rooms: 'top' | 'bottom'
  service: 'left' | 'middle' | 'right'
  desksPerIsland: number
  /** The approximate ratio of width to height of the area with desks. */
  ratio: number
}

const FLOOR_STYLES: FloorStyle[] = [
  { rooms: 'top', service: 'right', desksPerIsland: 6, ratio: 1.5 },
  { rooms: 'bottom', service: 'middle', desksPerIsland: 6, ratio: 1.7 },
  { rooms: 'top', service: 'left', desksPerIsland: 8, ratio: 1.4 },
  { rooms: 'bottom', service: 'right', desksPerIsland: 4, ratio: 1.3 },
  { rooms: 'top', service: 'middle', desksPerIsland: 4, ratio: 1.8 },
  { rooms: 'bottom', service: 'left', desksPerIsland: 6, ratio: 1.5 },
]

/** The position of something: its centre and its size, as shares of the width and height of the drawing. */
export type Place = Box
export type DrawnFloor = {
  svg: string
  width: number
  height: number
  /** The width of a desk as a share of the drawing's width. */
  deskWidth: number
  desks: Place[]
  rooms: Place[]
  parking: Place[]
}

const MARGIN = 24
const WALL = 10
const AISLE = { x: 60, y: 44 }
const BAND_HEIGHT = 176
const ROOM_WIDTH = { min: 170, max: 330 }
const SERVICE_WIDTH = 284
const SERVICE_HEIGHT_MIN = 500
const BAY = { width: 112, height: 58 }
const DRIVEWAY_WIDTH = 100

export function drawFloor(contents: FloorContents, nth: number): DrawnFloor {
  const style = FLOOR_STYLES[nth % FLOOR_STYLES.length] as FloorStyle
  const plan = planFloor(contents, style)
  const { building } = plan
  const lot = planParking(contents.parking, building)
  const width = (lot ? lot.area.x + lot.area.width : building.x + building.width) + MARGIN
  const height = building.y + building.height + MARGIN
  const share = (box: Box): Place => ({
    x: (box.x + box.width / 2) / width,
    y: (box.y + box.height / 2) / height,
    width: box.width / width,
    height: box.height / height,
  })
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">
${FURNITURE}
${lot ? drawParking(lot) : ''}
${drawBox(building, { fill: COLOURS.floor })}
${drawIslands(plan)}
${plan.rooms.map((room) => drawRoom(room, style.rooms)).join('\n')}
${drawBooths(plan)}
${drawService(plan.service, style.rooms)}
${drawOuterWalls(building)}
</svg>`
  return {
    svg,
    width,
    height,
    deskWidth: DESK.width / width,
    desks: plan.desks.map(({ box }) => share(box)),
    rooms: plan.rooms.map((room) => share(shrink(room, 12))),
    parking: (lot?.bays ?? []).map((bay) => share(shrink(bay, 5))),
  }
}

type Desk = { box: Box; isFacingDown: boolean }
type FloorPlan = { building: Box; rooms: Box[]; service: Box; islands: Box[]; desks: Desk[] }

function planFloor({ desks, rooms }: FloorContents, style: FloorStyle): FloorPlan {
  const across = style.desksPerIsland / 2
  const island = { width: across * DESK.width, height: 2 * (DESK.height + CHAIR_DEPTH) }
  const step = { x: island.width + AISLE.x, y: island.height + AISLE.y }
  const islandCount = Math.max(1, Math.ceil(desks / style.desksPerIsland))
  const columns = Math.max(1, Math.round(Math.sqrt((islandCount * style.ratio * step.y) / step.x)))
  const lines = Math.ceil(islandCount / columns)
  const before = { left: 0, middle: Math.ceil(columns / 2), right: columns }[style.service]
  const isBetween = before > 0 && before < columns
  const serviceSpan = SERVICE_WIDTH + (isBetween ? AISLE.x : 0)
  const inside = AISLE.x + columns * step.x + serviceSpan
  const roomsPerBand = Math.max(1, Math.floor(inside / ROOM_WIDTH.min))
  const bands = Math.ceil(rooms / roomsPerBand)
  const openHeight = Math.max(SERVICE_HEIGHT_MIN, AISLE.y + lines * step.y)
  const building = { x: MARGIN, y: MARGIN, width: inside, height: bands * BAND_HEIGHT + openHeight }
  const top = building.y + (style.rooms === 'top' ? bands * BAND_HEIGHT : 0)
  const service = {
    x: building.x + before * step.x + (before > 0 ? AISLE.x : 0),
    y: top,
    width: SERVICE_WIDTH,
    height: openHeight,
  }
  const gap = (openHeight - lines * island.height) / (lines + 1)
  const islands = Array.from({ length: islandCount }, (_, index): Box => {
    const [column, line] = [index % columns, Math.floor(index / columns)]
    const past = column >= before ? serviceSpan : 0
    const x = building.x + AISLE.x + column * step.x + past
    return { x, y: top + gap + line * (island.height + gap), ...island }
  })
  return {
    building,
    service,
    islands,
    rooms: planRooms(rooms, roomsPerBand, building, style),
    desks: islands.flatMap((each, index) => planDesks(each, countShare(desks, islandCount, index))),
  }
}

/** Returns the size of the part with this index, if `all` is divided into `parts` that are as equal as possible. */
const countShare = (all: number, parts: number, index: number) =>
  Math.floor(all / parts) + (index < all % parts ? 1 : 0)

function planDesks(island: Box, count: number): Desk[] {
  const top = Math.ceil(count / 2)
  return Array.from({ length: count }, (_, index) => {
    const isFacingDown = index < top
    const nth = isFacingDown ? index : index - top
    const y = island.y + CHAIR_DEPTH + (isFacingDown ? 0 : DESK.height)
    return { box: { x: island.x + nth * DESK.width, y, ...DESK }, isFacingDown }
  })
}

function planRooms(rooms: number, perBand: number, building: Box, style: FloorStyle): Box[] {
  const width = Math.min(ROOM_WIDTH.max, building.width / Math.min(Math.max(rooms, 1), perBand))
  return Array.from({ length: rooms }, (_, index) => {
    const band = Math.floor(index / perBand)
    const y =
      style.rooms === 'top'
        ? building.y + band * BAND_HEIGHT
        : building.y + building.height - (band + 1) * BAND_HEIGHT
    return { x: building.x + (index % perBand) * width, y, width, height: BAND_HEIGHT }
  })
}

type ParkingLot = { area: Box; bays: Box[] }

/** Plans a car park to the right of the building: pairs of columns with a driveway between them. */
function planParking(count: number, building: Box): ParkingLot | undefined {
  if (count === 0) return undefined
  const perColumn = Math.max(1, Math.min(Math.ceil(count / 2), Math.floor(building.height / BAY.height)))
  const columns = 2 * Math.ceil(count / (2 * perColumn))
  const left = building.x + building.width + 2 * MARGIN
  const width = columns * BAY.width + (columns / 2) * DRIVEWAY_WIDTH
  const bays = Array.from({ length: count }, (_, index) => {
    const column = Math.floor(index / perColumn)
    const x = left + column * BAY.width + Math.ceil(column / 2) * DRIVEWAY_WIDTH
    return { x, y: building.y + (index % perColumn) * BAY.height, ...BAY }
  })
  return { area: { x: left, y: building.y, width, height: building.height }, bays }
}

const shrink = ({ x, y, width, height }: Box, by: number): Box => ({
  x: x + by,
  y: y + by,
  width: width - 2 * by,
  height: height - 2 * by,
})

function drawParking({ area, bays }: ParkingLot): string {
  const last = Math.max(...bays.map(({ y }) => y)) + BAY.height
  const trees = Array.from({ length: Math.floor((area.y + area.height - last) / 90) }, (_, index) =>
    drawPlant(area.x + 30 + ((index * 130) % Math.max(1, area.width - 60)), last + 60 + index * 80),
  )
  return `${drawBox({ ...area, height: last - area.y }, { fill: COLOURS.asphalt, radius: 8 })}
${bays.map((bay) => drawBox(bay, { fill: '#f3f4f5', stroke: COLOURS.white, width: 4 })).join('')}${trees.join('')}`
}

function drawIslands({ islands, desks }: FloorPlan): string {
  const carpets = islands.map(({ x, y, width, height }) =>
    drawBox(
      { x: x - 16, y: y - 8, width: width + 32, height: height + 16 },
      { fill: COLOURS.carpet, radius: 16 },
    ),
  )
  const plants = islands.map(({ x, y, width, height }) => drawPlant(x + width + AISLE.x / 2, y + height / 2))
  const drawn = desks.map(({ box, isFacingDown }) =>
    drawDesk(box.x + box.width / 2, box.y + box.height / 2, isFacingDown),
  )
  return [...carpets, ...plants, ...drawn].join('\n')
}

function drawRoom(room: Box, side: FloorStyle['rooms']): string {
  const { x, y, width, height } = room
  const [front, inwards] = side === 'top' ? [y + height, -1] : [y, 1]
  const door = x + width - 62
  return `${drawBox(room, { fill: COLOURS.room, stroke: COLOURS.wall, width: 5 })}${drawMeetingTable(room)}
${drawPath(`M${x + 16} ${front}H${door - 10}`, COLOURS.glass, 5)}
${drawPath(`M${door} ${front}h44`, COLOURS.floor, 7)}${drawPath(`M${door} ${front}v${44 * inwards}a44 44 0 0 ${inwards < 0 ? 1 : 0} 44 ${-44 * inwards}`, COLOURS.line)}`
}

const BOOTH = { width: 92, height: 96 }

/** Draws phone booths in the space beside the last meeting room. */
function drawBooths({ building, rooms }: FloorPlan): string {
  const last = rooms.at(-1)
  if (!last) return ''
  const left = last.x + last.width
  const isTop = last.y === building.y
  const y = isTop ? building.y : building.y + building.height - BOOTH.height
  const count = Math.min(3, Math.floor((building.x + building.width - left) / BOOTH.width))
  const booths = Array.from({ length: count }, (_, index) => {
    const x = building.x + building.width - (index + 1) * BOOTH.width
    return drawBooth({ x, y, ...BOOTH })
  })
  return booths.join('')
}

/** Draws the core next to the meeting rooms, then the kitchen, then the lounge. */
function drawService({ x, y, width, height }: Box, side: FloorStyle['rooms']): string {
  const heights = [170, 160, height - 330]
  const ordered = side === 'top' ? [0, 1, 2] : [2, 1, 0]
  let at = y
  const boxes = new Map<number, Box>()
  for (const part of ordered) {
    const own = heights[part] ?? 0
    boxes.set(part, { x, y: at, width, height: own })
    at += own
  }
  const [core, kitchen, lounge] = [0, 1, 2].map((part) => boxes.get(part) as Box) as [Box, Box, Box]
  return `${drawCore(core)}
${drawBox(shrink(kitchen, 6), { fill: COLOURS.kitchen, radius: 8 })}${drawKitchen(shrink(kitchen, 6))}
${drawBox(shrink(lounge, 6), { fill: COLOURS.lounge, radius: 8 })}${drawLounge(shrink(lounge, 6))}`
}

const WINDOW_STEP = 140
const WINDOW_LENGTH = 84

/** Draws the walls around the building, with windows at regular distances. */
function drawOuterWalls({ x, y, width, height }: Box): string {
  const place = (length: number) => {
    const count = Math.floor(length / WINDOW_STEP)
    return Array.from({ length: count }, (_, nth) => ((nth + 0.5) * length) / count - WINDOW_LENGTH / 2)
  }
  const across = place(width).flatMap((at) =>
    [y, y + height].map((wall) => `M${Math.round(x + at)} ${wall}h${WINDOW_LENGTH}`),
  )
  const down = place(height).flatMap((at) =>
    [x, x + width].map((wall) => `M${wall} ${Math.round(y + at)}v${WINDOW_LENGTH}`),
  )
  const windows = [...across, ...down].join('')
  return `${drawBox({ x, y, width, height }, { stroke: COLOURS.wall, width: WALL, radius: 3 })}
${drawPath(windows, COLOURS.white, WALL)}${drawPath(windows, COLOURS.glass, 4)}`
}
