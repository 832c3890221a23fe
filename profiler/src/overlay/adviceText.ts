// NVIDIA's advice as plain words.

/** Text of a rule of Nsight Compute without its marks for links: `@section:Name:Text@`, `@url:Text:address@`. */
export function plainText(text: string): string {
  return text
    .replace(/@(section|source|sass):[^:@]*:([^@]*)@/g, '$2')
    .replace(/@url:([^:@]*):[^@]*@/g, '$1')
    .replace(/@(metric|table):([^:@]*)(:[^@]*)?@/g, '$2');
}
