// Reads the Accept header: which type of answer a caller wants.

/** Whether the header names this exact type, and does not exclude it (q=0). */
export function acceptsType(accept: string, type: string): boolean {
  return accept.split(',').some((each) => {
    const [name = '', ...parameters] = each.split(';').map((part) => part.trim().toLowerCase())
    return name === type && !parameters.some((parameter) => /^q\s*=\s*0(\.0{0,3})?$/.test(parameter))
  })
}
