"""What CiteLoom costs beside the bare libraries below it: ratios, measured in one run."""
