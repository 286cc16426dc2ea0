// Limits how many requests run at once, and shares the limit fairly between owners. A single owner may use the whole
// limit. Once the limit is used up, an owner with less than an equal share still starts at once. Other owners wait, and
// the next free place goes to the owner with the fewest running requests.

type FairLimitOptions = {
  /** Returns the total number of places. */
  max: () => number
  /** How many places one owner may use. */
  ownMax?: number
  /** Returns how many requests may wait in total, regardless of their weight. */
  waitingMax?: () => number
}

/** `weight` says how many places the request takes. */
type TakeOptions = { waitMs: number; owner?: string; weight?: number }

type ReleasePlace = () => void
type NotifyWaiter = (hasPlace: boolean) => void
type PlaceOwner = { name: string; underWay: number; waiting: Set<NotifyWaiter> }

export class FairLimit {
  readonly #options: Required<FairLimitOptions>
  readonly #owners = new Map<string, PlaceOwner>()
  underWay = 0
  waiting = 0

  constructor({ max, ownMax = Infinity, waitingMax = () => Infinity }: FairLimitOptions) {
    this.#options = { max, ownMax, waitingMax }
  }

  /** Whether some owners must be refused. `isFullFor` tells whether a given owner must be refused. */
  get isFull(): boolean {
    return this.underWay >= this.#options.max() && this.waiting >= this.#options.waitingMax()
  }

  /** Returns whether this owner can neither start a request nor wait. */
  isFullFor(name: string): boolean {
    const owner = this.#owners.get(name)
    return this.isFull && owner !== undefined && !this.#hasPlace(owner) && !this.#mayWait(owner)
  }

  /** Takes a place, and returns the function that frees it, or undefined if no place becomes free in time.
   * Returns a promise only if the request has to wait. */
  take({
    owner: name = '',
    waitMs,
    weight = 1,
  }: TakeOptions): ReleasePlace | undefined | Promise<ReleasePlace | undefined> {
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

  #ownerOf(name: string): PlaceOwner {
    const known = this.#owners.get(name)
    if (known) return known
    const owner = { name, underWay: 0, waiting: new Set<NotifyWaiter>() }
    this.#owners.set(name, owner)
    return owner
  }

  #releaseOf(owner: PlaceOwner, weight: number): ReleasePlace {
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

  #hasPlace({ underWay }: PlaceOwner): boolean {
    return underWay < this.#options.ownMax && this.#hasRoom(this.underWay, underWay, this.#options.max())
  }

  #mayWait({ waiting }: PlaceOwner): boolean {
    return this.#hasRoom(this.waiting, waiting.size, this.#options.waitingMax())
  }

  #hasRoom(all: number, own: number, max: number): boolean {
    return all < max || own < max / this.#owners.size
  }

  #begin(owner: PlaceOwner, weight: number) {
    owner.underWay += weight
    this.underWay += weight
  }

  #wait(owner: PlaceOwner, weight: number, waitMs: number): Promise<boolean> {
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

  #forgetIdle({ name, underWay, waiting }: PlaceOwner) {
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
