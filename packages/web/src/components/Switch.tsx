import { Switch as Radix } from 'radix-ui';

interface SwitchProps {
  readonly isOn: boolean;
  readonly label: string;
  readonly onChange: (isOn: boolean) => void;
}

/** An on/off switch that acts at once. */
export function Switch({ isOn, label, onChange }: SwitchProps) {
  return (
    <Radix.Root
      checked={isOn}
      onCheckedChange={onChange}
      aria-label={label}
      title={label}
      className="relative h-[18px] w-8 flex-none rounded-full border border-line-strong bg-sunken transition-colors duration-100 data-[state=checked]:border-accent data-[state=checked]:bg-accent pointer-coarse:after:absolute pointer-coarse:after:-inset-2.5"
    >
      <Radix.Thumb className="block size-3 translate-x-0.5 rounded-full bg-ink-3 transition-transform duration-100 data-[state=checked]:translate-x-4 data-[state=checked]:bg-on-accent" />
    </Radix.Root>
  );
}
