// Limits what is under way at once, and shares it fairly: an owner alone may use the whole limit. Once it is
// used up, an owner with less than an equal share still starts at once; the others wait, and the next free
// place goes to the owner with the least under way.

type Options = {
  /** How much may be under way at once, in total. */
  max: () => number
  /** How much of it one owner may have. */
  ownMax?: number
  /** How many may wait in total, whatever their weight. */
  waitingMax?: () => number
}

/** `weight` says how many ordinary places it counts as. */
type Take = { waitMs: number; owner?: string; weight?: number }

type Release = () => void
type Waiter = (hasPlace: boolean) => void
type Owner = { name: string; underWay: number; waiting: Set<Waiter> }

export class FairLimit {
  readonly #options: Required<Options>
  readonly #owners = new Map<string, Owner>()
  underWay = 0
  waiting = 0

  constructor({ max, ownMax = Infinity, waitingMax = () => Infinity }: Options) {
    this.#options = { max, ownMax, waitingMax }
  }

  /** Whether some owners may be refused; `isFullFor` says which. */
  get isFull(): boolean {
    return this.underWay >= this.#options.max() && this.waiting >= this.#options.waitingMax()
  }

  /** Whether this owner can neither start nor wait. */
  isFullFor(name: string): boolean {
    const owner = this.#owners.get(name)
    return this.isFull && owner !== undefined && !this.#hasPlace(owner) && !this.#mayWait(owner)
  }

  /**
   * Takes a place and returns the function that gives it back; undefined if none is free in time. A promise
   * only if the owner has to wait.
   */
  take({ owner: name = '', waitMs, weight = 1 }: Take): Release | undefined | Promise<Release | undefined> {
    const owner = this.#ownerOf(name)
    if (owner.waiting.size === 0 && this.#hasPlace(owner)) {
      this.#begin(owner, weight)
      return this.#releaseOf(owner, weight)
    }
    const settle = (hasPlace: boolean) => {
      if (hasPlace) return this.#releaseOf(owner, weight)
      this.#forgetIdle(owner)
      return undefined
    }
    return this.#mayWait(owner) ? this.#wait(owner, weight, waitMs).then(settle) : settle(false)
  }

  #ownerOf(name: string): Owner {
    const known = this.#owners.get(name)
    if (known) return known
    const owner = { name, underWay: 0, waiting: new Set<Waiter>() }
    this.#owners.set(name, owner)
    return owner
  }

  #releaseOf(owner: Owner, weight: number): Release {
    let isGivenBack = false
    return () => {
      if (isGivenBack) return
      isGivenBack = true
      owner.underWay -= weight
      this.underWay -= weight
      this.#forgetIdle(owner)
      this.#letNextBegin()
    }
  }

  #hasPlace({ underWay }: Owner): boolean {
    return underWay < this.#options.ownMax && this.#hasRoom(this.underWay, underWay, this.#options.max())
  }

  #mayWait({ waiting }: Owner): boolean {
    return this.#hasRoom(this.waiting, waiting.size, this.#options.waitingMax())
  }

  #hasRoom(all: number, own: number, max: number): boolean {
    return all < max || own < max / this.#owners.size
  }

  #begin(owner: Owner, weight: number) {
    owner.underWay += weight
    this.underWay += weight
  }

  #wait(owner: Owner, weight: number, waitMs: number): Promise<boolean> {
    this.waiting++
    return new Promise((resolve) => {
      const settle = (hasPlace: boolean) => {
        clearTimeout(timer)
        owner.waiting.delete(settle)
        this.waiting--
        if (hasPlace) this.#begin(owner, weight)
        resolve(hasPlace)
      }
      const timer = setTimeout(() => settle(false), waitMs)
      owner.waiting.add(settle)
    })
  }

  #forgetIdle({ name, underWay, waiting }: Owner) {
    if (underWay === 0 && waiting.size === 0) this.#owners.delete(name)
  }

  #letNextBegin() {
    while (this.waiting > 0) {
      const [next] = [...this.#owners.values()]
        .filter(({ waiting }) => waiting.size > 0)
        .sort((a, b) => a.underWay - b.underWay)
      const [begin] = next?.waiting ?? []
      if (!next || !begin || !this.#hasPlace(next)) return
      begin(true)
    }
  }
}
