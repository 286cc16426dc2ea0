// The size of the cells of a floor plan: all have room for it, and their text stays readable.
import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { layOutOnFloorPlan } from '../../../../../gateway/reads/map/map-layouts.ts'
import { canvasClass, layoutOf, scaleThatFits } from '../../../../../gateway/web/pages/map/canvas.ts'

const PICTURE = { address: '', width: 1_200, height: 800, orientation: 1 }
const LETTERS_UNITS = 15
const FLOOR_PLAN_UNITS = 1_200
const REM = 16
const READABLE_PX = 9

const inRows = (columns: number, rows: number) =>
  Array.from({ length: columns * rows }, (_, index) => ({
    id: index + 1,
    x: ((index % columns) + 0.5) / columns,
    y: (Math.floor(index / columns) + 0.5) / rows,
  }))

describe('the cells of a floor plan', () => {
  it('keep their size if two of them stand almost on one spot', () => {
    for (const columns of [2, 4, 8]) {
      const desks = inRows(columns, 3)
      const [first = expect.fail()] = desks
      const close = [...desks, { id: 999, x: first.x + 0.01, y: first.y }]
      expect(layoutOf(PICTURE, desks).scale, `${columns} columns`).to.equal(1)
      expect(layoutOf(PICTURE, close).scale, `${columns} columns`).to.be.within(0.9, 1)
      expect(layOutOnFloorPlan(PICTURE, close).scale, 'in the interface’s map none overlap').to.equal(0.3)
    }
    expect(
      layoutOf(
        PICTURE,
        inRows(2, 1).map(({ id }) => ({ id, x: 0.5, y: 0.5 })),
      ).scale,
    ).to.equal(1)
  })

  it('never overlap a neighbour, turned or not, unless their location says how large they are', () => {
    const quarter = { width: null, height: null, rotation: 90 }
    const pair = [
      { id: 1, x: 0.4, y: 0.5, shape: quarter },
      { id: 2, x: 0.45, y: 0.5, shape: quarter },
    ]
    const upright = pair.map(({ shape: _, ...each }) => each)
    // Sixty units: turned cells are eighty across, others 148, with the space around them.
    expect(layoutOf(PICTURE, pair).scale).to.be.closeTo(60 / 80, 0.001)
    expect(layoutOf(PICTURE, upright).scale).to.be.closeTo(60 / 148, 0.001)
    expect(layoutOf({ ...PICTURE, cellWidth: 0.055 }, upright).scale).to.be.closeTo(0.5, 0.001)
  })

  it('have a size of their own without shrinking the others', () => {
    const shape = { width: 0.22, height: 0.1, rotation: 0 }
    const desks = [
      { id: 1, x: 0.4, y: 0.5 },
      { id: 2, x: 0.42, y: 0.5, shape },
    ]
    const layout = layoutOf(PICTURE, desks)
    expect(layout.scale).to.equal(1)
    const { width, height, scale } = layout.sizeOf(desks[1] ?? expect.fail())
    expect([width * scale, height * scale]).to.deep.equal([264, 80])
  })

  it('get smaller if some of them have less room', () => {
    const { scale } = layoutOf(PICTURE, inRows(16, 4))
    expect(scale).to.be.within(0.4, 0.6)
  })

  it('keep their size while an administrator positions them one by one', () => {
    for (const [columns, rows] of [
      [8, 5],
      [10, 10],
    ] as const) {
      const desks = inRows(columns, rows)
      const scales = [0, 1, 2, 5, desks.length - 1].map(
        (count) =>
          layoutOf(
            PICTURE,
            desks.map((desk, index) => (index < count ? desk : { ...desk, x: null, y: null })),
          ).scale,
      )
      expect(Math.max(...scales) - Math.min(...scales), `${columns} by ${rows}: ${scales}`).to.be.below(0.1)
    }
  })

  it('have readable letters, however many cells there are', () => {
    const style = readFileSync('gateway/web/browser/places.css', 'utf8')
    const widthOf = (name: string) => {
      const selector = name === '' ? '.map-canvas' : `.map-canvas.${name}`
      const rule = style.split(`\n${selector} {`)[1] ?? expect.fail(`The style has no ${selector}`)
      return Number(/min-width: ([\d.]+)rem/.exec(rule)?.[1]) * REM
    }
    for (const all of [1, 50, 100, 200, 1_000]) {
      const scale = scaleThatFits([], all)
      const pixels = (LETTERS_UNITS * scale * widthOf(canvasClass(scale))) / FLOOR_PLAN_UNITS
      expect(pixels, `${all} bookables at ${scale}`).to.be.at.least(READABLE_PX * 0.95)
    }
  })
})
