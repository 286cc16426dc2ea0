// Tests the cell size of a floor plan: cells do not overlap, and their text stays readable.
import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { layOutOnFloorPlan } from '../../../../../gateway/reads/map/map-layouts.ts'
import {
  chooseCanvasClass,
  chooseMapScale,
  createMapLayout,
} from '../../../../../gateway/web/pages/map/canvas.ts'

const PICTURE = { address: '', width: 1_200, height: 800, orientation: 1 }
const LETTER_HEIGHT_UNITS = 15
const FLOOR_PLAN_UNITS = 1_200
const REM_PX = 16
const READABLE_PX_MIN = 9

const placeInRows = (columns: number, rows: number) =>
  Array.from({ length: columns * rows }, (_, index) => ({
    id: index + 1,
    x: ((index % columns) + 0.5) / columns,
    y: (Math.floor(index / columns) + 0.5) / rows,
  }))

describe('the size of desks on a floor plan', () => {
  it('hardly shrinks if two desks are almost at the same position', () => {
    for (const columns of [2, 4, 8]) {
      const desks = placeInRows(columns, 3)
      const [first = expect.fail()] = desks
      const close = [...desks, { id: 999, x: first.x + 0.01, y: first.y }]
      expect(createMapLayout(PICTURE, desks).scale, `${columns} columns`).to.equal(1)
      expect(createMapLayout(PICTURE, close).scale, `${columns} columns`).to.be.within(0.9, 1)
      expect(layOutOnFloorPlan(PICTURE, close).scale, 'in the interface’s map none overlap').to.equal(0.3)
    }
    expect(
      createMapLayout(
        PICTURE,
        placeInRows(2, 1).map(({ id }) => ({ id, x: 0.5, y: 0.5 })),
      ).scale,
    ).to.equal(1)
  })

  it('prevents overlaps, even of rotated desks, unless the location sets a size', () => {
    const quarter = { width: null, height: null, rotation: 90 }
    const pair = [
      { id: 1, x: 0.4, y: 0.5, shape: quarter },
      { id: 2, x: 0.45, y: 0.5, shape: quarter },
    ]
    const upright = pair.map(({ shape: _, ...each }) => each)
    // The desks are sixty units apart. With margins, a rotated cell needs eighty units, and other cells need 148.
    expect(createMapLayout(PICTURE, pair).scale).to.be.closeTo(60 / 80, 0.001)
    expect(createMapLayout(PICTURE, upright).scale).to.be.closeTo(60 / 148, 0.001)
    expect(createMapLayout({ ...PICTURE, cellWidth: 0.055 }, upright).scale).to.be.closeTo(0.5, 0.001)
  })

  it('can be set for one desk without shrinking the others', () => {
    const shape = { width: 0.22, height: 0.1, rotation: 0 }
    const desks = [
      { id: 1, x: 0.4, y: 0.5 },
      { id: 2, x: 0.42, y: 0.5, shape },
    ]
    const layout = createMapLayout(PICTURE, desks)
    expect(layout.scale).to.equal(1)
    const { width, height, scale } = layout.sizeOf(desks[1] ?? expect.fail())
    expect([width * scale, height * scale]).to.deep.equal([264, 80])
  })

  it('becomes smaller if some desks have little room', () => {
    const { scale } = createMapLayout(PICTURE, placeInRows(16, 4))
    expect(scale).to.be.within(0.4, 0.6)
  })

  it('stays the same while an administrator positions desks one by one', () => {
    for (const [columns, rows] of [
      [8, 5],
      [10, 10],
    ] as const) {
      const desks = placeInRows(columns, rows)
      const scales = [0, 1, 2, 5, desks.length - 1].map(
        (count) =>
          createMapLayout(
            PICTURE,
            desks.map((desk, index) => (index < count ? desk : { ...desk, x: null, y: null })),
          ).scale,
      )
      expect(Math.max(...scales) - Math.min(...scales), `${columns} by ${rows}: ${scales}`).to.be.below(0.1)
    }
  })

  it('keeps letters legible, even with many desks', () => {
    const style = readFileSync('gateway/web/browser/places.css', 'utf8')
    const widthOf = (name: string) => {
      const selector = name === 'wide-46' ? '.map-canvas' : `.map-canvas.${name}`
      const rule = style.split(`\n${selector} {`)[1] ?? expect.fail(`The style has no ${selector}`)
      return Number(/min-width: ([\d.]+)rem/.exec(rule)?.[1]) * REM_PX
    }
    for (const all of [1, 50, 100, 200, 1_000]) {
      const scale = chooseMapScale([], all)
      const pixels =
        (LETTER_HEIGHT_UNITS * scale * widthOf(chooseCanvasClass(scale, FLOOR_PLAN_UNITS))) / FLOOR_PLAN_UNITS
      expect(pixels, `${all} bookables at ${scale}`).to.be.at.least(READABLE_PX_MIN * 0.95)
    }
  })
})
