// Lines in place of what is loading, in a list that has `aria-busy`. Scripts use it too.

export const SKELETON = '<li class="skeleton" role="presentation"></li>'.repeat(3)
