// What a caller wants to be answered with, as the header Accept says it.

/** Names this very type, and does not say that it is not wanted (q=0). */
export function acceptsType(accept: string, type: string): boolean {
  return accept.split(',').some((each) => {
    const [name = '', ...parameters] = each.split(';').map((part) => part.trim().toLowerCase())
    return name === type && !parameters.some((parameter) => /^q\s*=\s*0(\.0{0,3})?$/.test(parameter))
  })
}
