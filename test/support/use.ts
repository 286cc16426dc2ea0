// Resources of a suite: created before its tests and closed after them, the last one first.

type Options<Made> = {
  close?(made: Made): unknown
  /** A new one for each test, not one for all of them. */
  each?: boolean
}

const open: Array<() => unknown> = []
const perTest = new WeakSet<object>()

/**
 * To be called where the suite is described. What it returns stands for what `create` makes, and can be used inside
 * of tests and hooks only.
 */
export function use<Made extends object>(
  create: () => Made | Promise<Made>,
  { close, each = false }: Options<Made> = {},
): Made {
  let made: Made | undefined
  let end: (() => unknown) | undefined

  const begin = async () => {
    const opened = await create()
    made = opened
    end = async () => {
      made = undefined
      await close?.(opened)
    }
    open.push(end)
  }
  // Whatever was opened after it stands on it, and goes first.
  const finish = async () => {
    while (end && open.includes(end)) await open.pop()?.()
  }
  if (each) {
    beforeEach(begin)
    afterEach(finish)
  } else {
    before(begin)
    after(finish)
  }
  const standIn = standInFor(() => {
    if (!made) throw new Error('It is used where the suite is described; only its tests and hooks have it')
    return made
  })
  if (each) perTest.add(standIn)
  return standIn
}

/** What stands on something else lives as long as that. */
export function useWith<Made extends object>(
  ground: object,
  create: () => Made | Promise<Made>,
  close?: (made: Made) => unknown,
): Made {
  return use(create, { close, each: perTest.has(ground) })
}

function standInFor<Made extends object>(current: () => Made): Made {
  // A function, since some of what it stands for is called.
  const nothing = Object.setPrototypeOf(() => undefined, null)
  return new Proxy<Made>(nothing, {
    get(_, name) {
      const value: unknown = Reflect.get(current(), name)
      // Methods reach private fields through the object itself only.
      const isMethod = typeof value === 'function' && !Object.hasOwn(current(), name)
      return isMethod ? value.bind(current()) : value
    },
    set: (_, name, value) => Reflect.set(current(), name, value),
    has: (_, name) => Reflect.has(current(), name),
    apply(_, __, parameters) {
      const called: unknown = current()
      if (typeof called !== 'function') throw new TypeError('It is no function')
      return Reflect.apply(called, undefined, parameters)
    },
  })
}
