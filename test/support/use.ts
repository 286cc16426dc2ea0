// Creates the resources of a suite before its tests, and closes them afterwards in reverse order.

type Options<Made> = {
  close?(made: Made): unknown
  /** Whether to create a new resource for each test. */
  each?: boolean
}

const open: Array<() => unknown> = []
const createdPerTest = new WeakSet<object>()

/**
 * Must be called in the body of `describe`. Returns a proxy of the resource that `create` creates. The proxy works only
 * in tests and hooks.
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
  // Resources opened later depend on this one, and are closed first.
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
  const standIn = createProxy(() => {
    if (!made) throw new Error('It is used where the suite is described; only its tests and hooks have it')
    return made
  })
  if (each) createdPerTest.add(standIn)
  return standIn
}

/** Creates a resource that depends on another resource, and exists as long as that. */
export function useWith<Made extends object>(
  ground: object,
  create: () => Made | Promise<Made>,
  close?: (made: Made) => unknown,
): Made {
  return use(create, { close, each: createdPerTest.has(ground) })
}

function createProxy<Made extends object>(current: () => Made): Made {
  // The proxy's target is a function, because some resources are functions.
  const nothing = Object.setPrototypeOf(() => undefined, null)
  return new Proxy<Made>(nothing, {
    get(_, name) {
      const value: unknown = Reflect.get(current(), name)
      // Methods need the object itself, because a proxy cannot reach private fields.
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
