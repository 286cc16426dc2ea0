// @ts-check
// Arranging a floor plan: by dragging, by touching something and then its place, and by the arrow keys. Each move is sent
// by the form beside the plan; one that is refused is undone.

const page = document.querySelector('[data-arrange]')
const plan = page?.querySelector('svg.map-cells')
const form = page?.querySelector('[data-place] form')
if (page && plan instanceof SVGSVGElement && form instanceof HTMLFormElement) arrange(page, plan, form)

/** @typedef {{ x: number, y: number }} Share */

/**
 * @param {Element} page
 * @param {SVGSVGElement} plan
 * @param {HTMLFormElement} form
 */
function arrange(page, plan, form) {
  const STEP = 0.01
  const FINE_STEP = 0.002
  const KEYS_REST_MS = 500
  const MOVED_PX = 4
  const given = (/** @type {string} */ name) => Number(plan.dataset[name])
  const [width, height, scale] = [given('width'), given('height'), given('scale')]
  const margin = { x: given('marginX') / width, y: given('marginY') / height }
  const told = /** @type {HTMLElement} */ (page.querySelector('[data-saved]'))
  const waiting = /** @type {HTMLElement} */ (page.querySelector('.waiting'))
  const count = /** @type {HTMLElement} */ (page.querySelector('[data-count]'))
  const cells = /** @type {SVGGElement[]} */ ([...plan.querySelectorAll('.cell')])
  const movables = new Map(cells.map((cell) => [cell.dataset.bookable, movable(cell)]))
  /** @typedef {ReturnType<typeof movable>} Movable */
  /** @type {Movable | undefined} */
  let chosen

  /** @type {HTMLElement} */ for (const help of page.querySelectorAll('[data-with-script]'))
    (help).hidden = false
  plan.closest('.map-canvas')?.addEventListener('click', placeChosen)
  waiting.addEventListener('click', chooseWaiting)
  recount()

  /** @param {SVGGElement} cell */
  function movable(cell) {
    const name = cell.dataset.name ?? ''
    const home = cell.getAttribute('transform') ?? ''
    /** @type {Share | undefined} */
    const first =
      cell.dataset.x === undefined ? undefined : { x: Number(cell.dataset.x), y: Number(cell.dataset.y) }
    const self = {
      cell,
      id: cell.dataset.bookable ?? '',
      name,
      home,
      isBelow: first === undefined,
      saved: first,
      shown: first,
      moves: 0,
      sending: Promise.resolve(),
    }
    cell.setAttribute('tabindex', '0')
    cell.setAttribute('role', 'button')
    label(self)
    watchPointer(self)
    watchKeys(self)
    return self
  }

  /** @param {Movable} self */
  function label({ cell, name, shown }) {
    const words = shown
      ? `${Math.round(shown.x * 100)} % from the left, ${Math.round(shown.y * 100)} % from the top`
      : 'not on the plan yet'
    cell.setAttribute('aria-label', `${name}: ${words}`)
  }

  /**
   * @param {Movable} self
   * @param {Share | undefined} share
   */
  function show(self, share) {
    self.shown = share
    draw(self, share ? { x: share.x * width, y: share.y * height } : undefined)
    label(self)
    recount()
  }

  // What was on the plan when the page came has no place of its own below it: it waits in the list.
  /**
   * @param {Movable} self
   * @param {Share | undefined} point
   */
  function draw({ cell, home, isBelow }, point) {
    const transform = point ? `translate(${point.x} ${point.y}) scale(${scale})` : home
    cell.setAttribute('transform', transform)
    cell.toggleAttribute('hidden', !point && !isBelow)
  }

  // As the server draws it: wholly on the plan.
  /** @param {Share} share */
  function inside({ x, y }) {
    const clamp = (/** @type {number} */ value, /** @type {number} */ edge) =>
      Math.round(Math.min(Math.max(value, edge), Math.max(1 - edge, edge)) * 100_000) / 100_000
    return { x: clamp(x, margin.x), y: clamp(y, margin.y) }
  }

  /** @param {{ clientX: number, clientY: number }} event */
  function pointOf({ clientX, clientY }) {
    return new DOMPoint(clientX, clientY).matrixTransform(plan.getScreenCTM()?.inverse())
  }

  /** @param {Movable} self */
  function watchPointer(self) {
    const { cell } = self
    /** @type {{ from: DOMPoint, startX: number, startY: number, isMoved: boolean, offset: Share } | undefined} */
    let drag
    cell.addEventListener('pointerdown', (event) => {
      if (event.button !== 0) return
      const from = pointOf(event)
      const at = /** @type {SVGTransform} */ (cell.transform.baseVal.getItem(0)).matrix
      cell.setPointerCapture(event.pointerId)
      drag = {
        from,
        startX: event.clientX,
        startY: event.clientY,
        isMoved: false,
        offset: { x: at.e - from.x, y: at.f - from.y },
      }
    })
    cell.addEventListener('pointermove', (event) => {
      if (!drag) return
      drag.isMoved ||= Math.hypot(event.clientX - drag.startX, event.clientY - drag.startY) > MOVED_PX
      if (!drag.isMoved) return
      const point = pointOf(event)
      cell.classList.add('dragged')
      draw(self, { x: point.x + drag.offset.x, y: point.y + drag.offset.y })
    })
    const end = (/** @type {PointerEvent} */ event) => {
      const ended = drag
      drag = undefined
      cell.classList.remove('dragged')
      if (!ended) return
      if (!ended.isMoved || event.type === 'pointercancel') return show(self, self.shown)
      const point = pointOf(event)
      move(self, shareAt({ x: point.x + ended.offset.x, y: point.y + ended.offset.y }))
    }
    cell.addEventListener('pointerup', end)
    cell.addEventListener('pointercancel', end)
    cell.addEventListener('click', (event) => {
      event.stopPropagation()
      choose(chosen === self ? undefined : self)
    })
  }

  // Below the plan is off the plan.
  /** @param {Share} point */
  function shareAt({ x, y }) {
    return y > height ? undefined : inside({ x: x / width, y: y / height })
  }

  /** @param {Movable | undefined} self */
  function choose(self) {
    chosen?.cell.classList.remove('chosen')
    chosen = self
    self?.cell.classList.add('chosen')
    plan.classList.toggle('choosing', self !== undefined)
    if (self) tell(`${self.name}: touch the place where it stands.`)
  }

  /** @param {Event} event */
  function placeChosen(event) {
    if (!chosen || !(event instanceof MouseEvent)) return
    const self = chosen
    choose(undefined)
    move(self, shareAt(pointOf(event)))
  }

  /** @param {MouseEvent} event */
  function chooseWaiting(event) {
    const entry = event.target instanceof Element ? event.target.closest('[data-waiting]') : null
    const self = movables.get(entry?.getAttribute('data-waiting') ?? '')
    if (!self) return
    event.preventDefault()
    // By the keyboard it goes to the middle, and on from there.
    if (event.detail === 0) {
      move(self, inside({ x: 0.5, y: 0.5 }))
      return self.cell.focus()
    }
    choose(self)
    plan.scrollIntoView({ block: 'nearest' })
  }

  /** @param {Movable} self */
  function watchKeys(self) {
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let resting
    const flush = () => {
      if (resting === undefined) return
      clearTimeout(resting)
      resting = undefined
      move(self, self.shown)
    }
    self.cell.addEventListener('keydown', (event) => {
      const next = keyed(self, event)
      if (next === null) return
      event.preventDefault()
      clearTimeout(resting)
      show(self, next)
      resting = setTimeout(flush, KEYS_REST_MS)
      // What is taken off the plan goes on in the list.
      const entry = /** @type {HTMLElement | null} */ (waiting.querySelector(`[data-waiting="${self.id}"] a`))
      if (!next && !self.isBelow) entry?.focus()
    })
    self.cell.addEventListener('blur', flush)
    addEventListener('pagehide', flush)
  }

  /**
   * Where a key moves it; null where it is no key of ours.
   * @param {Movable} self
   * @param {KeyboardEvent} event
   * @returns {Share | undefined | null}
   */
  function keyed({ shown }, { key, shiftKey, ctrlKey, metaKey, altKey }) {
    if (ctrlKey || metaKey || altKey) return null
    if (key === 'Delete' || key === 'Backspace') return shown ? undefined : null
    if (key === 'Enter' || key === ' ') return shown ? null : inside({ x: 0.5, y: 0.5 })
    const step = shiftKey ? FINE_STEP : STEP
    /** @type {Record<string, [number, number]>} */
    const ways = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }
    const way = ways[key]
    if (!way) return null
    if (!shown) return inside({ x: 0.5, y: 0.5 })
    return inside({ x: shown.x + way[0] * step, y: shown.y + way[1] * step })
  }

  /**
   * One after the other for each, so that the last move is the last to be stored.
   * @param {Movable} self
   * @param {Share | undefined} share
   */
  function move(self, share) {
    show(self, share)
    const own = ++self.moves
    self.sending = self.sending.then(async () => {
      tell(`Saving ${self.name}…`)
      const problem = await send(self, share)
      if (problem === undefined) self.saved = share
      // What is still to be sent shows where it is to stand.
      if (own !== self.moves) return
      if (problem !== undefined) show(self, self.saved)
      tell(
        problem === undefined ? `${self.name} is saved.` : `${self.name} was not moved: ${problem}`,
        problem === undefined ? 'good' : 'bad',
      )
    })
  }

  /**
   * Returns what stands in the way, if anything does.
   * @param {Movable} self
   * @param {Share | undefined} share
   */
  async function send({ id }, share) {
    const body = new URLSearchParams()
    for (const [name, value] of new FormData(form)) body.set(name, String(value))
    // Each move is a form of its own.
    body.delete('_once')
    body.set('bookable', id)
    body.set('left', share ? percent(share.x) : '')
    body.set('top', share ? percent(share.y) : '')
    try {
      const answer = await fetch(form.action, { method: 'POST', body, redirect: 'manual', keepalive: true })
      if (answer.type === 'opaqueredirect') return undefined
      const shown = new DOMParser().parseFromString(await answer.text(), 'text/html')
      const sentence = shown.querySelector('main .notice.bad p, main .card p')?.textContent
      return sentence?.trim() || 'it could not be saved.'
    } catch {
      return 'the service could not be reached.'
    }
  }

  /** @param {number} share */
  function percent(share) {
    return String(Math.round(share * 100_000) / 1_000)
  }

  /**
   * @param {string} sentence
   * @param {'good' | 'bad' | ''} tone
   */
  function tell(sentence, tone = '') {
    told.hidden = false
    told.className = `notice ${tone}`
    told.textContent = sentence
  }

  function recount() {
    const away = [...movables.values()].filter(({ shown }) => !shown)
    count.textContent = away.length === 0 ? 'Everything stands on it.' : `${away.length} of ${movables.size}:`
    const entries = away.map(({ id, name }) => {
      const known = waiting.querySelector(`[data-waiting="${id}"]`)
      if (known) return known
      const entry = document.createElement('li')
      entry.setAttribute('data-waiting', id)
      const link = document.createElement('a')
      link.href = '#waiting'
      link.textContent = name
      entry.append(link)
      return entry
    })
    waiting.replaceChildren(...entries)
  }
}
