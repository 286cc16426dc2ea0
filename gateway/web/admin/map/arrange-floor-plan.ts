// The page that arranges a location's bookables on its floor plan.
import * as yup from 'yup'
import { MANY_MAX } from '../../../../shared/bookables/bookables.ts'
import { formatShape, type PlanShape } from '../../../../shared/locations/plan-shapes.ts'
import { message } from '../../../../shared/messages/message.ts'
import { exact } from '../../../../shared/messages/strict.ts'
import { list, object, pathId, queryId, required } from '../../../../shared/schemas/fields.ts'
import { notEmpty } from '../../../../shared/schemas/inputs.ts'
import { attributes, type Html, html } from '../../../html/html.ts'
import { findFloorPlanFacts } from '../../../reads/map/floor-plans.ts'
import { plural, sentence, t, tHtml } from '../../locales/translate.ts'
import { layoutOf, showCanvas, zoomTools } from '../../pages/map/canvas.ts'
import { floorPlanPicture } from '../../pages/map/floor-plan-pictures.ts'
import { type ActionCall, type Call, page } from '../../pages/page/page.ts'
import { form } from '../../pages/ui/forms.ts'
import { formatNumber, showLink, showLinkOrText } from '../../pages/ui/parts.ts'
import { showEmpty, showNotice } from '../../pages/ui/states.ts'
import { parsePercent, parsePosition, percent, positionShape, showPositionFields } from '../bookables/form.ts'
import { listPositions, type PositionedBookable } from '../bookables/queries.ts'
import { missingLocation, requireLocation } from '../places/location-pages.ts'
import { showMovableCells } from './movable-cells.ts'
import { placeInRows, rowsForm, showRowsForm } from './place-in-rows.ts'
import {
  newShapeForm,
  oldShapeForm,
  parseNewShape,
  parseShapes,
  shapesForm,
  showShapeForms,
  showShapeTools,
} from './plan-shapes.ts'

// The moves that the page's script sends (browser/floor-plan-editor/move-save.ts): what moved, where to and from.
// Positions have the format of their versions: steps of a hundred-thousandth (shared/schemas/versions.ts).
// Sizes follow the rotation; 0 means the size that all others have.
const POSITION = '(?:none|\\d{1,6} \\d{1,6}(?: \\d{1,3}(?: \\d{1,6} \\d{1,6})?)?)'
const MOVE = new RegExp(`^(\\d{1,15})/(${POSITION})/(${POSITION})$`)
const SHARE = 100_000
// Of the floor plan's width, in percent: the size of an unscaled cell.
const SIZE_MAX = 11

const move = () =>
  exact(yup.string()).matches(MOVE, () => message`A move needs an ID, a new position and the old one.`)

const movesForm = object({ moves: required(notEmpty(list(required(move()), { max: MANY_MAX }))) })

function parseMove(move: string) {
  const [, id = '', to = '', version = ''] = MOVE.exec(move) ?? []
  if (to === 'none') return { id: Number(id), version, x: null, y: null }
  const [x = 0, y = 0, rotation = 0, ...sides] = to.split(' ').map(Number)
  const [width, height] = sides.map((side) => (side === 0 ? null : side / SHARE))
  return { id: Number(id), version, x: x / SHARE, y: y / SHARE, rotation, width, height }
}

export const arrangeFloorPlan = page({
  path: '/places/locations/{id}/arrange',
  title: sentence`Arrange floor plan`,
  section: 'Places',
  params: object({ id: pathId() }),
  missing: missingLocation,
  actions: (action) => ({
    'set-position': action(object({ ...positionShape, bookable: required(queryId()) }), async (call) => {
      const { bookable, ...position } = call.form
      await call.dispatch('bookables.set-position', {
        id: bookable,
        version: call.version,
        ...parsePosition(position),
      })
      return { redirectTo: call.linkHere() }
    }),
    // Saves one or many moves from the script: all of them or none.
    'set-positions': action(movesForm, async (call) => {
      await call.dispatch('bookables.set-positions', { positions: call.form.moves.map(parseMove) })
      return { redirectTo: call.linkHere() }
    }),
    'set-cell-width': action(object({ cell_width: percent() }), async (call) => {
      const { cell_width } = call.form
      await call.dispatch('locations.set-cell-width', {
        id: call.params.id,
        cell_width: cell_width === undefined ? null : parsePercent(cell_width),
      })
      return { redirectTo: call.linkHere() }
    }),
    'draw-plan': action(object({}), async (call) => {
      await call.dispatch('locations.set-blank-floor-plan', { id: call.params.id })
      return { redirectTo: call.linkHere() }
    }),
    // Sent by the script: all shapes now, and the shapes that it loaded.
    'set-shapes': action(shapesForm, async (call) => {
      const { shapes, before } = call.form
      return setShapes(call, parseShapes(before), () => parseShapes(shapes))
    }),
    'add-shape': action(newShapeForm, async (call) =>
      setShapes(call, await listShapes(call), (shapes) => [...shapes, parseNewShape(call.form)]),
    ),
    'remove-shape': action(oldShapeForm, async (call) =>
      setShapes(call, await listShapes(call), (shapes) =>
        shapes.filter((shape) => formatShape(shape) !== call.form.shape),
      ),
    ),
    'place-in-rows': action(rowsForm, async (call) => {
      const bookables = await listPositions(call.services.primary, call.params.id)
      const positions = placeInRows(call.form, bookables)
      await call.dispatch('bookables.set-positions', { positions })
      return {
        redirectTo: call.linkHere(),
        notice: plural(
          positions.length,
          '# desk or room placed in rows.',
          '# desks and rooms placed in rows.',
        ),
      }
    }),
  }),
  async show(call) {
    const { id } = call.params
    // The script's saves leave no notice, so read from the primary: a replica might show the old positions.
    const { primary } = call.services
    const [location, floorPlan, bookables] = await Promise.all([
      requireLocation(primary, id),
      findFloorPlanFacts(primary, id),
      listPositions(primary, id),
    ])
    const back = `/places/locations/${id}`
    const layout = floorPlan && layoutOf(floorPlanPicture(call, id, floorPlan), bookables)
    return {
      title: t`Arrange ${location.name}`,
      breadcrumbs: [
        [t`Places`, '/places'],
        [location.building, `/places/buildings/${location.buildingId}`],
        [location.name, back],
      ],
      tools: showLink(call.link('/map', { location: id }), t`Done`, { class: 'button primary' }),
      content: layout
        ? html`<div class="map" data-arrange><div class="map-main">
${showNotice('neutral', t`Every move is saved right away, and can be undone.`, null, { 'data-saved': true, hidden: true })}
${tools()}${showCanvas(layout, t`Floor plan of ${location.name}`, showMovableCells(layout, bookables, t`Desks, rooms and parking of ${location.name}`))}</div>
<div class="map-list">${bookables.length === 0 ? nothingYet(call, back) : howTo()}${withoutPosition(call, bookables)}${showRowsForm(call, bookables, layout)}${positionForm(call, bookables)}${sizeForm(call, floorPlan?.cellWidth)}${showShapeForms(call, floorPlan?.shapes ?? [])}${showMovesForm(call)}</div></div>`
        : noFloorPlan(call, back),
    }
  },
})

type ArrangeCall = ActionCall<{ id: number }>

async function listShapes({ services, params }: ArrangeCall): Promise<PlanShape[]> {
  return (await findFloorPlanFacts(services.primary, params.id))?.shapes ?? []
}

async function setShapes(
  call: ArrangeCall,
  before: PlanShape[],
  change: (shapes: PlanShape[]) => PlanShape[],
) {
  await call.dispatch('locations.set-plan-shapes', { id: call.params.id, before, shapes: change(before) })
  return { redirectTo: call.linkHere() }
}

const howTo = () => html`<div data-with-script hidden><h2>${t`How it works`}</h2>
<p>${t`Drag each desk, room or parking spot into place, or tap it and then tap its position. With the keyboard, use the arrow keys (with Shift for small steps), R to rotate it, and Delete to take it off the floor plan.`}</p>
<p>${t`To place a whole row, click its first desk and drag the arrow beside it. Drag the arrow of a row down for more rows.`}</p>
<p>${t`Desks line up with their neighbours and do not overlap. Hold Alt to put one anywhere.`}</p>
<p>${t`To move several together, select them first: Shift and click, draw a frame with the mouse, press Space, or use the list under “Place in rows”.`}</p></div>`

const tools = () => html`<div class="map-bar" data-with-script hidden>
${zoomTools()}<div class="map-zoom"><button type="button" data-undo>${t`Undo`}</button><button type="button" data-redo>${t`Redo`}</button></div>
<div class="map-zoom"><button type="button" data-rotate aria-disabled="true" title="${t`Rotate (R, with Shift by 15°)`}">${t`Rotate`}</button></div>
<label class="choice tool"><span>${t`Size`}</span> <input type="range" data-size min="1" max="${SIZE_MAX}" step="0.1"></label>
<label class="choice tool"><span>${t`Gap in a row (%)`}</span> <input type="number" data-gap min="0" max="500" value="12"></label>
${showShapeTools()}<label class="choice"><input type="checkbox" data-snap checked> <span>${t`Snap to grid`}</span></label></div>`

/** Sets the size of all cells on the floor plan. Without a value, cells are as large as the space allows. */
function sizeForm(call: Call, cellWidth: number | null | undefined): Html {
  const value = cellWidth ? formatNumber(Math.round(cellWidth * 100_000) / 1_000) : ''
  const isOpen = call.refusedForm?.action === 'set-cell-width'
  return html`<details class="card" data-cell-width${isOpen ? html` open` : ''}><summary>${t`Size of all desks and rooms`}</summary>
${form(call, { action: 'set-cell-width', submit: t`Save size`, tone: 'quiet' }, (fields) => [
  fields.text('cell_width', t`Width (% of the floor plan)`, {
    value,
    hint: t`Leave empty to make them as large as the space allows.`,
  }),
])}</details>`
}

function noFloorPlan(call: Call, back: string): Html {
  return showEmpty(
    t`There is no floor plan yet.`,
    html`${tHtml`${showLinkOrText(call.link(`${back}/plan`), t`Upload one`)}, then put everything in place. Or draw its rooms and walls on an empty sheet.`}
${form(call, { action: 'draw-plan', submit: t`Draw a floor plan`, tone: 'quiet' })}`,
  )
}

function nothingYet(call: Call, back: string): Html {
  return html`<h2>${t`Nothing to arrange yet`}</h2>
<p>${tHtml`${showLinkOrText(call.link(`${back}/add`), t`Add desks, rooms or parking`)}, then put them in place.`}</p>`
}

function withoutPosition(call: Call, bookables: PositionedBookable[]): Html {
  const waiting = bookables.filter(({ x }) => x === null)
  const entries = waiting.map(
    ({ id, name }) =>
      html`<li data-waiting="${id}">${showLinkOrText(`${call.link(`/places/bookables/${id}`)}#position`, name)}</li>`,
  )
  return html`<section aria-labelledby="waiting"${attributes({ hidden: bookables.length === 0 })}><h2 id="waiting">${t`Not on the floor plan`}</h2>
<p data-count>${bookables.length > 0 && countOf(waiting)}</p>
<ul class="names waiting">${entries}</ul></section>`
}

function countOf(waiting: PositionedBookable[]): string {
  if (waiting.length === 0) return t`Everything is on the floor plan.`
  return plural(
    waiting.length,
    '# desk or room, shown below the floor plan:',
    '# desks and rooms, shown below the floor plan:',
  )
}

function positionForm(call: Call, bookables: PositionedBookable[]): Html {
  const options = bookables.map(({ id, name }) => ({ value: id, label: name }))
  return html`<details class="card" data-place${call.refusedForm?.action === 'set-position' ? html` open` : ''}><summary>${t`Enter a position`}</summary>
${form(call, { action: 'set-position', submit: t`Save position`, tone: 'quiet' }, (fields) => [
  fields.select('bookable', t`Desk, room or parking spot`, { options, required: true }),
  showPositionFields(fields, { x: null, y: null }),
])}</details>`
}

/** A hidden form: the script needs its address and its CSRF token. */
const showMovesForm = (call: Call): Html =>
  html`<div data-moves hidden>${form(call, { action: 'set-positions', submit: t`Save` })}</div>`
