// The areas and walls of a floor plan, on the page that arranges it: what its script sends, and forms that work without
// scripts.
import * as yup from 'yup'
import {
  formatShape,
  type PlanShape,
  parseShape,
  SHAPE_NAME_LENGTH_MAX,
  SHAPES_MAX,
  shapeLookFields,
  TONES,
  type Tone,
} from '../../../../shared/locations/plan-shapes.ts'
import { message } from '../../../../shared/messages/message.ts'
import { turnOffTypeConversion } from '../../../../shared/messages/strict.ts'
import { list, object, required, text } from '../../../../shared/schemas/fields.ts'
import { type Html, html } from '../../../html/html.ts'
import { SHAPE_COLOURS } from '../../../reads/map/draw-shapes.ts'
import { t } from '../../locales/translate.ts'
import type { Call } from '../../pages/page/page.ts'
import { form } from '../../pages/ui/forms.ts'
import { parsePercent, percentSchema } from '../bookables/form.ts'

const shapeLine = () =>
  turnOffTypeConversion(yup.string()).test(
    'shape',
    () => message`A room, zone or wall needs two corners and a colour.`,
    (value) => value === undefined || parseShape(value) !== undefined,
  )

const shapeLines = () => list(required(shapeLine()), { max: SHAPES_MAX })
export const shapesForm = object({ shapes: shapeLines(), before: shapeLines() })
export const oldShapeForm = object({ shape: required(shapeLine()) })
export const newShapeForm = object({
  ...shapeLookFields,
  name: text({ max: SHAPE_NAME_LENGTH_MAX }),
  left: required(percentSchema()),
  top: required(percentSchema()),
  right: required(percentSchema()),
  bottom: required(percentSchema()),
})

export const parseShapes = (given: string[] = []): PlanShape[] =>
  given.flatMap((each) => parseShape(each) ?? [])

export function parseNewShape({
  left,
  top,
  right,
  bottom,
  name = '',
  ...look
}: yup.InferType<typeof newShapeForm>): PlanShape {
  const corners = {
    x1: parsePercent(left),
    y1: parsePercent(top),
    x2: parsePercent(right),
    y2: parsePercent(bottom),
  }
  return { ...look, name, ...(look.kind === 'area' ? sortCorners(corners) : corners) }
}

const sortCorners = ({ x1, y1, x2, y2 }: Pick<PlanShape, 'x1' | 'y1' | 'x2' | 'y2'>) => ({
  x1: Math.min(x1, x2),
  y1: Math.min(y1, y2),
  x2: Math.max(x1, x2),
  y2: Math.max(y1, y2),
})

const listToneOptions = () => {
  const labels: Record<Tone, string> = {
    room: t`Walls, no colour`,
    grey: t`Grey`,
    blue: t`Blue`,
    green: t`Green`,
    yellow: t`Yellow`,
    red: t`Red`,
  }
  return TONES.map((value) => ({ value, label: labels[value] }))
}

/** Shows the script's tools: the choice of what to draw next, and the name and colour of the selected area. */
export const showShapeTools = (): Html => html`<div class="map-zoom" role="group" aria-label="${t`Draw`}">
<button type="button" data-draw="area" aria-pressed="false" title="${t`Drag on the floor plan to draw a room or a zone`}">${t`Draw area`}</button>
<button type="button" data-draw="wall" aria-pressed="false" title="${t`Drag on the floor plan to draw a wall`}">${t`Draw wall`}</button></div>
<div class="map-bar" data-area hidden><label class="choice tool"><span>${t`Name`}</span> <input type="text" data-area-name maxlength="${SHAPE_NAME_LENGTH_MAX}"></label>
<label class="choice tool"><span>${t`Colour`}</span> <select data-area-tone>${listToneOptions().map(({ value, label }) => html`<option value="${value}" data-fill="${SHAPE_COLOURS[value].fill}" data-line="${SHAPE_COLOURS[value].line}">${label}</option>`)}</select></label></div>`

/** Shows the forms for shapes. The script saves all shapes with the form `data-shapes`. */
export function showShapeForms(call: Call, shapes: PlanShape[]): Html {
  const isOpen = ['add-shape', 'remove-shape', 'set-shapes'].includes(call.refusedForm?.action ?? '')
  return html`<details class="card" data-shape-forms${isOpen ? html` open` : ''}><summary>${t`Rooms, zones and walls`}</summary>
<ul class="rows">${shapes.map((shape, index) => html`<li>${describeShape(shape)} ${form(call, { action: 'remove-shape', key: String(index), submit: t`Remove`, submitLabel: t`Remove ${describeShape(shape)}`, tone: 'quiet', isInline: true }, () => html`<input type="hidden" name="shape" value="${formatShape(shape)}">`)}</li>`)}</ul>
${form(call, { action: 'add-shape', submit: t`Add`, tone: 'quiet' }, (fields) => [
  fields.select('kind', t`Kind`, {
    options: [
      { value: 'area', label: t`Room or zone` },
      { value: 'wall', label: t`Wall` },
    ],
    required: true,
  }),
  fields.text('name', t`Name`, {}),
  fields.select('tone', t`Colour`, { options: listToneOptions(), required: true }),
  html`<div class="pair">${fields.text('left', t`Distance from the left (%)`, {})}${fields.text('top', t`Distance from the top (%)`, {})}</div>`,
  html`<div class="pair">${fields.text('right', t`End: distance from the left (%)`, {})}${fields.text('bottom', t`End: distance from the top (%)`, {})}</div>`,
])}</details>
<div data-shapes hidden>${form(call, { action: 'set-shapes', submit: t`Save` }, () =>
    shapes.map((shape) => html`<input type="hidden" data-shape value="${formatShape(shape)}">`),
  )}</div>`
}

function describeShape({ kind, name }: PlanShape): string {
  if (kind === 'wall') return t`Wall`
  return name === '' ? t`Room or zone` : name
}
